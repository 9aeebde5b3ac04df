#include "kernels/core/tensor.h"
#include "tests/unit.h"

#define P(exponent) (INT64_C(1) << exponent)

static const struct {
    struct shape shape;
    uint64_t count;
} counts[] = {
    {{0, {0}}, 1},
    {{1, {0}}, 0},
    {{1, {7}}, 7},
    {{3, {2, 3, 4}}, 24},
    {{1, {INT64_MAX}}, INT64_MAX},
    {{2, {INT64_MAX, 1}}, INT64_MAX},
    {{2, {P(62), 1}}, P(62)},
    {{2, {P(32), P(30)}}, P(62)},
    /* 0, whatever the other dims are */
    {{2, {INT64_MAX, 0}}, 0},
    {{2, {0, INT64_MAX}}, 0},
    {{3, {P(62), P(62), 0}}, 0},
    {{3, {P(62), 0, P(62)}}, 0},
    {{3, {0, INT64_MAX, P(60)}}, 0},
    {{4, {P(32), P(32), P(32), 0}}, 0},
};

LOOP_TEST(shape_count_multiplies, COUNT(counts))
{
    struct status st = {.code = STATUS_OK};
    uint64_t count = 99;

    ck_assert(shape_count(&counts[_i].shape, "input", &count, &st));
    ck_assert_uint_eq(count, counts[_i].count);
    ck_assert_int_eq(st.code, STATUS_OK);
}

static const struct {
    struct shape shape;
    const char *text;
} overflows[] = {
    {{2, {16, P(60) + 2}}, "[16, 1152921504606846978]"},
    {{2, {4, P(61)}}, "[4, 2305843009213693952]"},
    {{2, {P(32), P(32)}}, "[4294967296, 4294967296]"},
    {{2, {P(32), P(31)}}, "[4294967296, 2147483648]"},
    {{2, {INT64_MAX, INT64_MAX}}, "[9223372036854775807, 9223372036854775807]"},
    {{3, {INT64_MAX, 2, 1}}, "[9223372036854775807, 2, 1]"},
};

LOOP_TEST(shape_count_refuses_overflow_with_shape, COUNT(overflows))
{
    char message[STATUS_MESSAGE_SIZE];
    struct status st;
    uint64_t count;

    ck_assert(!shape_count(&overflows[_i].shape, "input", &count, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    snprintf(message, sizeof(message),
             "input has shape %s, which is 2^63 elements or more",
             overflows[_i].text);
    ck_assert_str_eq(st.message, message);
}

/* What so many elements take; 0 where that is refused. */
static const struct {
    enum dtype dtype;
    uint64_t count;
    size_t bytes;
} sizes[] = {
    {DTYPE_BOOL, 3, 3},
    {DTYPE_FP16, 3, 6},
    {DTYPE_FP32, 3, 12},
    {DTYPE_INT64, 3, 24},
    {DTYPE_COMPLEX128, 3, 48},
    {DTYPE_INT4, 1, 1},
    {DTYPE_INT4, 2, 1},
    {DTYPE_NF4, 3, 2},
    {DTYPE_UINT2, 4, 1},
    {DTYPE_UINT2, 5, 2},
    {DTYPE_UINT1, 8, 1},
    {DTYPE_UINT1, 9, 2},
    {DTYPE_UINT1, INT64_MAX, SIZE_MAX / 16 + 1},
    {DTYPE_INT8, INT64_MAX, SIZE_MAX / 2},
    {DTYPE_FP16, UINT64_C(1) << 62, 0},
    {DTYPE_FP32, UINT64_C(1) << 61, 0},
    {DTYPE_FP32, INT64_MAX, 0},
    {DTYPE_COMPLEX128, UINT64_C(1) << 60, 0},
    {DTYPE_COMPLEX128, UINT64_C(1) << 59, 0},
};

LOOP_TEST(tensor_bytes_rounds_up_and_refuses_overflow, COUNT(sizes))
{
    enum dtype dtype = sizes[_i].dtype;
    struct status st;
    size_t bytes = 0;

    ck_assert_int_eq(tensor_bytes(dtype, sizes[_i].count, "dY", &bytes, &st),
                     sizes[_i].bytes > 0);
    ck_assert_uint_eq(bytes, sizes[_i].bytes);
    if (sizes[_i].bytes > 0)
        return;
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "dY has "));
    ck_assert_ptr_nonnull(strstr(st.message, dtype_info(dtype)->name));
}

UNIT_TEST(tensor_bytes_of_nothing_are_none)
{
    struct status st;
    size_t bytes = 99;

    ck_assert(tensor_bytes(DTYPE_INT4, 0, "input", &bytes, &st));
    ck_assert_uint_eq(bytes, 0);
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
    /* 18 bytes, and the NUL has no place */
    ck_assert_str_eq(shape_print(&shape, text, 18), "[2, 33, 444, ...");
    ck_assert_str_eq(shape_print(&shape, text, 19), "[2, 33, 444, 5555]");
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

UNIT_TEST(shape_read_takes_dims_over_and_names_the_wrong_one)
{
    static const int64_t dims[SHAPE_MAX_RANK + 1] = {3, 0, 5, -1};
    struct status st = {.code = STATUS_OK};
    struct shape shape;

    ck_assert(shape_read(&shape, NULL, 0, "x", &st) && shape.rank == 0);
    ck_assert(shape_read(&shape, dims, 3, "x", &st) && shape.rank == 3);
    ck_assert_mem_eq(shape.dims, dims, 3 * sizeof(*dims));
    ck_assert(shape_read(&shape, dims + 4, SHAPE_MAX_RANK - 3, "x", &st));
    ck_assert(!shape_read(&shape, dims, 4, "x", &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_str_eq(st.message,
                     "dimension 3 of x is -1, but it must not be negative");
    ck_assert(!shape_read(&shape, dims, SHAPE_MAX_RANK + 1, "x", &st));
    ck_assert_str_eq(st.message, "x has rank 33, but it must be from 0 to 32");
    ck_assert(!shape_read(&shape, dims, -1, "x", &st));
    ck_assert_str_eq(st.message, "x has rank -1, but it must be from 0 to 32");
}
