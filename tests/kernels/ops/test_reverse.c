#include "kernels/ops/op.h"
#include "tests/kernels/ops/op_case.h"
#include "tests/unit.h"

static const int64_t cube[] = {2, 3, 4};

static void start(struct op_case *c, const char *mode)
{
    op_case_init(c, &op_openvino_reverse, DTYPE_FP32, 3, cube);
    op_case_text(c, "mode", mode);
}

/* `marks` has an 'f' for each axis that is expected to be flipped, else 'k'. */
static void check_moves(struct op_case *c, const char *marks)
{
    static struct naive n;

    n = (struct naive){.shape = c->call.data.shape, .batch_axis = -1};
    for (int i = 0; i < n.shape.rank; i++)
        n.maps[i] = marks[i] == 'f' ? PERMUTATION_FLIP : PERMUTATION_KEEP;
    op_case_moves(c, &n);
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
    static struct op_case c;

    start(&c, "index");
    op_case_control(&c, DTYPE_INT64, index_cases[_i].count,
                    index_cases[_i].axes);
    check_moves(&c, index_cases[_i].marks);
}

UNIT_TEST(reverse_accepts_every_integer_type)
{
    static const enum dtype types[] = {
        DTYPE_INT8,  DTYPE_INT16,  DTYPE_INT32,  DTYPE_INT64,
        DTYPE_UINT8, DTYPE_UINT16, DTYPE_UINT32, DTYPE_UINT64,
    };
    static struct op_case c;

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        start(&c, "index");
        op_case_control(&c, types[i], 2, (int64_t[]){2, 1});
        check_moves(&c, "kff");
    }
    for (size_t i = 0; i < 4; i++) {
        start(&c, "index");
        op_case_control(&c, types[i], 1, (int64_t[]){-2});
        check_moves(&c, "kfk");
    }
}

LOOP_TEST(reverse_flips_axes_by_mask, 8)
{
    static struct op_case c;
    int64_t mask[3] = {_i & 1, _i >> 1 & 1, _i >> 2 & 1};
    char marks[4] = "kkk";

    for (int i = 0; i < 3; i++)
        if (mask[i])
            marks[i] = 'f';
    start(&c, "mask");
    op_case_control(&c, DTYPE_BOOL, 3, mask);
    check_moves(&c, marks);
}

UNIT_TEST(reverse_accepts_scalar_with_no_axes)
{
    static struct op_case c;

    op_case_init(&c, &op_openvino_reverse, DTYPE_COMPLEX128, 0, NULL);
    op_case_text(&c, "mode", "index");
    check_moves(&c, "");
    op_case_text(&c, "mode", "mask");
    op_case_control(&c, DTYPE_BOOL, 0, NULL);
    check_moves(&c, "");
}

UNIT_TEST(reverse_accepts_every_datatype_and_empty_tensors)
{
    static struct op_case c;
    int64_t dims[] = {INT64_MAX, 0, INT64_MAX};

    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        start(&c, "index");
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
