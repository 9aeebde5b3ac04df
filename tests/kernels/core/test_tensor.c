#include "kernels/core/tensor.h"
#include "tests/unit.h"

static const int64_t P32 = INT64_C(1) << 32;
static const int64_t P60 = INT64_C(1) << 60;
static const int64_t P62 = INT64_C(1) << 62;

struct count_case {
    struct shape shape;
    bool fits;
    uint64_t count;
};

static bool check_count(const struct shape *shape, uint64_t *count,
                        struct status *st)
{
    memset(st, 0, sizeof(*st));
    return shape_count(shape, "input", count, st);
}

UNIT_TEST(shape_count_multiplies)
{
    struct count_case cases[] = {
        {{0, {0}}, true, 1},
        {{1, {0}}, true, 0},
        {{1, {7}}, true, 7},
        {{3, {2, 3, 4}}, true, 24},
        {{1, {INT64_MAX}}, true, INT64_MAX},
        {{2, {INT64_MAX, 1}}, true, INT64_MAX},
        {{2, {P62, 1}}, true, (uint64_t)P62},
        {{2, {P32, P32 / 4}}, true, (uint64_t)P62},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct status st;
        uint64_t count = 99;

        ck_assert(check_count(&cases[i].shape, &count, &st));
        ck_assert_uint_eq(count, cases[i].count);
        ck_assert_int_eq(st.code, STATUS_OK);
    }
}

UNIT_TEST(shape_count_is_zero_whatever_other_dims_are)
{
    struct shape shapes[] = {
        {2, {INT64_MAX, 0}}, {2, {0, INT64_MAX}},      {3, {P62, P62, 0}},
        {3, {P62, 0, P62}},  {3, {0, INT64_MAX, P60}}, {4, {P32, P32, P32, 0}},
    };

    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        struct status st;
        uint64_t count = 99;

        ck_assert(check_count(&shapes[i], &count, &st));
        ck_assert_uint_eq(count, 0);
    }
}

UNIT_TEST(shape_count_refuses_overflow_with_shape)
{
    static const struct {
        struct shape shape;
        const char *text;
    } cases[] = {
        {{2, {16, (INT64_C(1) << 60) + 2}}, "[16, 1152921504606846978]"},
        {{2, {4, (INT64_C(1) << 60) * 2}}, "[4, 2305843009213693952]"},
        {{2, {INT64_C(1) << 32, INT64_C(1) << 32}}, "[4294967296, 4294967296]"},
        {{2, {INT64_C(1) << 32, INT64_C(1) << 31}}, "[4294967296, 2147483648]"},
        {{2, {INT64_MAX, INT64_MAX}},
         "[9223372036854775807, 9223372036854775807]"},
        {{3, {INT64_MAX, 2, 1}}, "[9223372036854775807, 2, 1]"},
    };
    char message[STATUS_MESSAGE_SIZE];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct status st;
        uint64_t count;

        ck_assert(!check_count(&cases[i].shape, &count, &st));
        ck_assert_int_eq(st.code, STATUS_INVALID);
        snprintf(message, sizeof(message),
                 "input has shape %s, which is 2^63 elements or more",
                 cases[i].text);
        ck_assert_str_eq(st.message, message);
    }
}

UNIT_TEST(tensor_bytes_rounds_packed_types_up)
{
    static const struct {
        enum dtype dtype;
        uint64_t count;
        size_t bytes;
    } cases[] = {
        {DTYPE_BOOL, 3, 3},
        {DTYPE_FP16, 3, 6},
        {DTYPE_FP32, 3, 12},
        {DTYPE_INT64, 3, 24},
        {DTYPE_COMPLEX128, 3, 48},
        {DTYPE_INT4, 0, 0},
        {DTYPE_INT4, 1, 1},
        {DTYPE_INT4, 2, 1},
        {DTYPE_NF4, 3, 2},
        {DTYPE_UINT2, 4, 1},
        {DTYPE_UINT2, 5, 2},
        {DTYPE_UINT1, 8, 1},
        {DTYPE_UINT1, 9, 2},
        {DTYPE_UINT1, INT64_MAX, SIZE_MAX / 16 + 1},
        {DTYPE_INT8, INT64_MAX, SIZE_MAX / 2},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct status st;
        size_t bytes = 99;

        ck_assert(
            tensor_bytes(cases[i].dtype, cases[i].count, "input", &bytes, &st));
        ck_assert_uint_eq(bytes, cases[i].bytes);
    }
}

UNIT_TEST(tensor_bytes_refuses_overflow)
{
    static const struct {
        enum dtype dtype;
        uint64_t count;
    } cases[] = {
        {DTYPE_FP16, UINT64_C(1) << 62},
        {DTYPE_FP32, UINT64_C(1) << 61},
        {DTYPE_FP32, INT64_MAX},
        {DTYPE_COMPLEX128, UINT64_C(1) << 60},
        {DTYPE_COMPLEX128, UINT64_C(1) << 59},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct status st;
        size_t bytes;

        ck_assert(
            !tensor_bytes(cases[i].dtype, cases[i].count, "dY", &bytes, &st));
        ck_assert_int_eq(st.code, STATUS_INVALID);
        ck_assert_ptr_nonnull(strstr(st.message, "dY has "));
        ck_assert_ptr_nonnull(
            strstr(st.message, dtype_info(cases[i].dtype)->name));
    }
}

UNIT_TEST(shape_print_writes_dims)
{
    struct shape scalar = {0};
    struct shape vector = {1, {7}};
    struct shape cube = {3, {2, 0, 30}};
    char text[40];

    ck_assert_str_eq(shape_print(&scalar, text, sizeof(text)), "[]");
    ck_assert_str_eq(shape_print(&vector, text, sizeof(text)), "[7]");
    ck_assert_str_eq(shape_print(&cube, text, sizeof(text)), "[2, 0, 30]");
    ck_assert_str_eq(shape_print(&cube, text, 11), "[2, 0, 30]");
}

UNIT_TEST(shape_print_is_cut_at_a_whole_dim)
{
    struct shape shape = {4, {2, 33, 444, 5555}};
    char text[40] = "xxxxxxxxxxxxxxxxxxx";

    ck_assert_str_eq(shape_print(&shape, text, 12), "[2, 33, ...");
    ck_assert_int_eq(text[12], 'x');
    ck_assert_str_eq(shape_print(&shape, text, 14), "[2, 33, ...");
    ck_assert_str_eq(shape_print(&shape, text, 11), "[2, ...");
    ck_assert_str_eq(shape_print(&shape, text, 8), "[2, ...");
}

UNIT_TEST(shape_print_holds_longest_shape)
{
    struct shape shape = {SHAPE_MAX_RANK, {0}};
    char text[1000];

    for (int i = 0; i < shape.rank; i++)
        shape.dims[i] = INT64_MAX;
    shape_print(&shape, text, sizeof(text));
    ck_assert_uint_eq(strlen(text), 32 * 19 + 31 * 2 + 2);
    ck_assert_int_eq(text[strlen(text) - 1], ']');
}
