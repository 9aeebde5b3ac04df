#include "kernels/move/move.h"
#include "tests/kernels/ops/op_case.h"
#include "tests/unit.h"

static struct op_case c;

static const char *time_name(const struct op *op)
{
    return op->attributes[SEQUENCE_TIME].name;
}

static void check_axes(const struct op *op, int batch, int time)
{
    static struct naive n;
    int64_t lens[5] = {0, 1, 3, 2, 5};

    n = (struct naive){.shape = {2, {5, 5}}, .batch_axis = batch};
    n.maps[time] = PERMUTATION_FLIP_LENS;
    memcpy(n.lens, lens, sizeof(lens));
    op_case_init(&c, op, DTYPE_FP32, 2, n.shape.dims);
    op_case_control(&c, DTYPE_INT64, 5, lens);
    /* First with the fallbacks of absent attributes. */
    if (op->attributes[SEQUENCE_TIME].fallback == time)
        op_case_moves(&c, &n);
    op_case_integer(&c, "batch_axis", batch);
    op_case_integer(&c, time_name(op), time);
    op_case_moves(&c, &n);
}

LOOP_TEST(reverse_sequence_has_documented_defaults, SEQUENCE_OPS)
{
    bool batch_major = sequence_ops[_i] == &op_openvino_reverse_sequence;
    const struct attribute *a = sequence_ops[_i]->attributes;

    ck_assert(a[SEQUENCE_BATCH].fallback == (batch_major ? 0 : 1));
    ck_assert(a[SEQUENCE_TIME].fallback == (batch_major ? 1 : 0));
    check_axes(sequence_ops[_i], 0, 1);
    check_axes(sequence_ops[_i], 1, 0);
}

/* The second example of the ONNX document: batch-major, in full. */
UNIT_TEST(reverse_sequence_gives_onnx_example)
{
    static const float expected[16] = {0,  1, 2, 3,  5,  4,  6,  7,
                                       10, 9, 8, 11, 15, 14, 13, 12};
    float from[16], to[16];

    for (int i = 0; i < 16; i++)
        from[i] = (float)i;
    op_case_init(&c, &op_onnx_reverse_sequence, DTYPE_FP32, 2,
                 (int64_t[]){4, 4});
    op_case_integer(&c, "batch_axis", 0);
    op_case_integer(&c, "time_axis", 1);
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){1, 2, 3, 4});
    op_case_accepted(&c);
    ck_assert(move_copy(&c.p, dtype_format(DTYPE_FP32), from, to, NULL, NULL));
    ck_assert_mem_eq(to, expected, sizeof(to));
    permutation_free(&c.p);
}

static const enum dtype number_types[] = {
    DTYPE_INT8,  DTYPE_INT16,  DTYPE_INT32,  DTYPE_INT64,
    DTYPE_UINT8, DTYPE_UINT16, DTYPE_UINT32, DTYPE_UINT64,
    DTYPE_FP16,  DTYPE_BF16,   DTYPE_FP32,   DTYPE_FP64,
};

LOOP_TEST(reverse_sequence_openvino_accepts_any_number_type,
          COUNT(number_types))
{
    static struct naive n;
    int64_t lens[4] = {7, 0, 1, 100};

    n = (struct naive){
        .shape = {2, {4, 100}},
        .maps = {PERMUTATION_KEEP, PERMUTATION_FLIP_LENS},
        .batch_axis = 0,
    };
    memcpy(n.lens, lens, sizeof(lens));
    op_case_init(&c, &op_openvino_reverse_sequence, DTYPE_INT4, 2,
                 n.shape.dims);
    op_case_control(&c, number_types[_i], 4, lens);
    op_case_moves(&c, &n);
}

/* Ranks 2 to 6, every pair of axes that each operator accepts, negative ones,
 * and lengths: none, one, all and random. */
LOOP_TEST(reverse_sequence_matches_formula_on_random_calls, SEQUENCE_OPS)
{
    static struct naive n;
    const struct op *op = sequence_ops[_i];
    uint64_t state = 99;

    for (int i = 0; i < 2000; i++) {
        int time = -1, rank;

        naive_random_case(&state, &n);
        rank = n.shape.rank;
        if (n.batch_axis < 0 || naive_count(&n) == 0)
            continue;
        for (int a = 0; a < rank; a++) {
            if (n.maps[a] == PERMUTATION_FLIP_LENS)
                time = a;
            else
                n.maps[a] = PERMUTATION_KEEP;
        }
        if (op != &op_openvino_reverse_sequence && time + n.batch_axis != 1)
            continue;
        op_case_init(&c, op, DTYPE_FP32, rank, n.shape.dims);
        op_case_integer(&c, "batch_axis", n.batch_axis);
        op_case_integer(&c, time_name(op), time);
        if (op == &op_openvino_reverse_sequence && i % 3 == 0)
            op_case_integer(&c, "batch_axis", n.batch_axis - rank);
        if (op == &op_openvino_reverse_sequence && i % 2 == 0)
            op_case_integer(&c, time_name(op), time - rank);
        op_case_control(&c, DTYPE_INT64, n.shape.dims[n.batch_axis], n.lens);
        op_case_moves(&c, &n);
    }
}

LOOP_TEST(reverse_sequence_accepts_every_datatype, SEQUENCE_OPS)
{
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        bool scales = sequence_ops[_i]->scales;

        if (scales && !dtype_is_scalable((enum dtype)dtype))
            continue;
        op_case_init(&c, sequence_ops[_i], (enum dtype)dtype, 3,
                     (int64_t[]){3, 3, 2});
        op_case_control(&c, DTYPE_INT64, 3, (int64_t[]){3, 2, 0});
        op_case_accepted(&c);
        ck_assert(!naive_keeps_all(&c.p));
        permutation_free(&c.p);
    }
}

/* Each case has another axis without entries. Lengths are checked if there are
 * any. */
static const struct {
    int64_t dims[4];
    int64_t lens_count;
} empty[] = {
    {{0, 3, 2, 2}, 3},
    {{3, 0, 2, 2}, 0},
    {{3, 2, 0, 2}, 2},
    {{2, 3, 2, 0}, 3},
    {{0, 0, 0, 0}, 0},
    {{INT64_MAX, 2, INT64_MAX, 0}, 2},
    {{INT64_C(1) << 62, 0, 4, 4}, 0},
};

LOOP_TEST(reverse_sequence_of_empty_tensor_is_empty, COUNT(empty))
{
    op_case_init(&c, &op_onnx_reverse_sequence, DTYPE_INT64, 4, empty[_i].dims);
    op_case_control(&c, DTYPE_INT64, empty[_i].lens_count,
                    (int64_t[]){0, 0, 0});
    op_case_accepted(&c);
    ck_assert_uint_eq(c.p.row_count, 0);
    ck_assert_ptr_null(c.p.lens);
    ck_assert_int_eq(c.p.rank, 0);
    permutation_free(&c.p);
}

UNIT_TEST(reverse_sequence_accepts_rank_of_the_limit)
{
    int64_t dims[SHAPE_MAX_RANK];

    for (int i = 0; i < SHAPE_MAX_RANK; i++)
        dims[i] = i < 20 ? 2 : 1;
    op_case_init(&c, &op_openvino_reverse_sequence, DTYPE_UINT1, SHAPE_MAX_RANK,
                 dims);
    op_case_integer(&c, "batch_axis", 0);
    op_case_integer(&c, "seq_axis", -13);
    op_case_control(&c, DTYPE_INT64, 2, (int64_t[]){2, 1});
    op_case_accepted(&c);
    ck_assert(!naive_keeps_all(&c.p));
    permutation_free(&c.p);
}
