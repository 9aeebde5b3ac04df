#include <inttypes.h>

#include "tests/kernels/ops/op_case.h"
#include "tests/unit.h"

static struct op_case c;

static const int64_t cube[] = {2, 3, 4};

static void start(const char *mode)
{
    op_case_init(&c, &op_openvino_reverse, DTYPE_FP32, 3, cube);
    op_case_text(&c, "mode", mode);
}

/* `marks` has an 'f' for each axis that is expected to be flipped, else 'k'. */
static void check_moves(const char *marks)
{
    static struct naive n;

    n = (struct naive){.shape = c.call.data.shape, .batch_axis = -1};
    for (int i = 0; i < n.shape.rank; i++)
        n.maps[i] = marks[i] == 'f' ? PERMUTATION_FLIP : PERMUTATION_KEEP;
    op_case_moves(&c, &n);
}

static const struct {
    int64_t count, axes[6];
    const char *marks;
} index_cases[] = {
    {0, {0}, "kkk"},
    {1, {0}, "fkk"},
    {1, {1}, "kfk"},
    {1, {2}, "kkf"},
    {1, {-1}, "kkf"},
    {1, {-3}, "fkk"},
    {2, {0, 2}, "fkf"},
    {2, {2, 0}, "fkf"},
    {3, {0, 1, 2}, "fff"},
    {3, {1, 1, 1}, "kfk"},
    {4, {1, -2, 1, -2}, "kfk"},
    {6, {0, -3, 1, -2, 2, -1}, "fff"},
};

LOOP_TEST(reverse_flips_axes_by_index, COUNT(index_cases))
{
    start("index");
    op_case_control(&c, DTYPE_INT64, index_cases[_i].count,
                    index_cases[_i].axes);
    check_moves(index_cases[_i].marks);
}

UNIT_TEST(reverse_accepts_every_integer_type)
{
    for (enum dtype dtype = DTYPE_INT8; dtype <= DTYPE_UINT64; dtype++) {
        start("index");
        op_case_control(&c, dtype, 2, (int64_t[]){2, 1});
        check_moves("kff");
        if (dtype > DTYPE_INT64)
            continue;
        start("index");
        op_case_control(&c, dtype, 1, (int64_t[]){-2});
        check_moves("kfk");
    }
}

LOOP_TEST(reverse_flips_axes_by_mask, 8)
{
    int64_t mask[3] = {_i & 1, _i >> 1 & 1, _i >> 2 & 1};
    char marks[4] = "kkk";

    for (int i = 0; i < 3; i++)
        if (mask[i])
            marks[i] = 'f';
    start("mask");
    op_case_control(&c, DTYPE_BOOL, 3, mask);
    check_moves(marks);
}

UNIT_TEST(reverse_accepts_scalar_with_no_axes)
{
    op_case_init(&c, &op_openvino_reverse, DTYPE_COMPLEX128, 0, NULL);
    op_case_text(&c, "mode", "index");
    check_moves("");
    op_case_text(&c, "mode", "mask");
    op_case_control(&c, DTYPE_BOOL, 0, NULL);
    check_moves("");
}

UNIT_TEST(reverse_accepts_every_datatype_and_empty_tensors)
{
    int64_t dims[] = {INT64_MAX, 0, INT64_MAX};

    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        start("index");
        c.call.data.dtype = (enum dtype)dtype;
        op_case_control(&c, DTYPE_INT32, 1, (int64_t[]){0});
        op_case_accepted(&c);
        permutation_free(&c.p);
        op_case_init(&c, &op_openvino_reverse, (enum dtype)dtype, 3, dims);
        op_case_text(&c, "mode", "index");
        op_case_control(&c, DTYPE_INT64, 2, (int64_t[]){0, 2});
        op_case_accepted(&c);
        ck_assert_uint_eq(c.p.row_count, 0);
        permutation_free(&c.p);
    }
}

UNIT_TEST(reverse_requires_mode)
{
    start("");
    c.values[0].given = false;
    op_case_refused(&c, "mode is missing: it must be \"index\" or \"mask\"");
    op_case_text(&c, "mode", NULL);
    op_case_refused(&c, "mode is missing: it must be \"index\" or \"mask\"");
    op_case_text(&c, "mode", "Index");
    op_case_refused(&c, "mode must be \"index\" or \"mask\", not \"Index\"");
    op_case_text(&c, "mode", "");
    op_case_refused(&c, "mode must be \"index\" or \"mask\", not \"\"");
}

UNIT_TEST(reverse_rejects_axis_past_rank)
{
    static const int64_t axes[] = {
        3, -4, 0x80000000, INT64_MAX, INT64_MIN, 0x100000001, -0x100000000};

    for (int i = 0; i < COUNT(axes); i++) {
        start("index");
        op_case_control(&c, DTYPE_INT64, 2, (int64_t[]){1, axes[i]});
        op_case_refused(&c,
                        "axis[1] is %" PRId64 ", but it must be from -3 to 2 "
                        "for rank 3",
                        axes[i]);
    }
}

UNIT_TEST(reverse_rejects_axis_past_int64)
{
    start("index");
    op_case_control(&c, DTYPE_UINT64, 1, (int64_t[]){-1});
    op_case_refused(&c, "axis[0] is 18446744073709551615, which is past "
                        "9223372036854775807");
}

UNIT_TEST(reverse_rejects_any_axis_of_scalar)
{
    op_case_init(&c, &op_openvino_reverse, DTYPE_FP32, 0, NULL);
    op_case_text(&c, "mode", "index");
    op_case_control(&c, DTYPE_INT8, 1, (int64_t[]){0});
    op_case_refused(&c, "axis[0] is 0, but data has rank 0 and so no axes");
}

UNIT_TEST(reverse_rejects_axis_datatype)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        const struct dtype_traits *info = dtype_info((enum dtype)i);
        bool integer =
            info->kind == DTYPE_KIND_INT || info->kind == DTYPE_KIND_UINT;

        start("index");
        c.call.control.dtype = (enum dtype)i;
        if (!integer || info->bits < 8)
            op_case_refused(&c,
                            "axis is %s, but in index mode it must be an "
                            "integer type of 8 to 64 bits",
                            info->name);
        start("mask");
        c.call.control.dtype = (enum dtype)i;
        if (i != DTYPE_BOOL)
            op_case_refused(&c, "axis is %s, but in mask mode it must be BOOL",
                            info->name);
    }
}

UNIT_TEST(reverse_rejects_axis_rank)
{
    start("index");
    c.call.control.shape.rank = 0;
    op_case_refused(&c, "axis has rank 0, but it must be 1");
    start("mask");
    op_case_control(&c, DTYPE_BOOL, 3, (int64_t[]){0, 0, 0});
    c.call.control.shape = (struct shape){2, {1, 3}};
    op_case_refused(&c, "axis has rank 2, but it must be 1");
}

UNIT_TEST(reverse_rejects_mask_length)
{
    start("mask");
    op_case_control(&c, DTYPE_BOOL, 2, (int64_t[]){0, 1});
    op_case_refused(&c, "axis has 2 entries, but in mask mode it must have "
                        "one for each of the 3 axes of data");
    op_case_control(&c, DTYPE_BOOL, 4, (int64_t[]){0, 1, 0, 1});
    op_case_refused(&c, "axis has 4 entries, but in mask mode it must have "
                        "one for each of the 3 axes of data");
}

UNIT_TEST(reverse_rejects_mask_byte_other_than_0_and_1)
{
    start("mask");
    op_case_control(&c, DTYPE_BOOL, 3, (int64_t[]){1, 0, 255});
    op_case_refused(&c, "axis[2] is 255, but a BOOL must be 0 or 1");
    op_case_control(&c, DTYPE_BOOL, 3, (int64_t[]){1, 2, 0});
    op_case_refused(&c, "axis[1] is 2, but a BOOL must be 0 or 1");
}

/* Everything is wrong at first, then one fault less each time. */
UNIT_TEST(reverse_checks_in_documented_order)
{
    start("masks");
    op_case_control(&c, DTYPE_UINT8, 2, (int64_t[]){1, 7});
    c.call.control.shape.rank = 2;
    op_case_refused(&c, "mode must be \"index\" or \"mask\", not \"masks\"");
    op_case_text(&c, "mode", "mask");
    op_case_refused(&c, "axis is UINT8, but in mask mode it must be BOOL");
    c.call.control.dtype = DTYPE_BOOL;
    op_case_refused(&c, "axis has rank 2, but it must be 1");
    c.call.control.shape.rank = 1;
    op_case_refused(&c, "axis has 2 entries, but in mask mode it must have "
                        "one for each of the 3 axes of data");
    c.call.data.shape.rank = 2;
    op_case_refused(&c, "axis[1] is 7, but a BOOL must be 0 or 1");
}
