#include <inttypes.h>
#include <math.h>

#include "kernels/move/move.h"
#include "tests/kernels/ops/op_case.h"
#include "tests/unit.h"

static struct op_case c;

LOOP_TEST(reverse_sequence_rejects_rank_below_two, SEQUENCE_OPS)
{
    sequence_case_init(&c, sequence_ops[_i]);
    c.call.data.shape.rank = 1;
    sequence_case_refused(&c, "~ has rank 1, but it must be at least 2");
    c.call.data.shape.rank = 0;
    sequence_case_refused(&c, "~ has rank 0, but it must be at least 2");
}

static const int64_t bad_axes[] = {2,          -1,          3,          -4,
                                   INT64_MAX,  INT64_MIN,   -2,         -3,
                                   0x80000000, 0x100000000, 0x100000001};

LOOP_TEST(reverse_sequence_rejects_axis_other_than_0_and_1, COUNT(bad_axes))
{
    for (int i = 0; i < SEQUENCE_OPENVINO; i++) {
        for (int index = 0; index < 2; index++) {
            const char *name = sequence_ops[i]->attributes[index].name;

            sequence_case_init(&c, sequence_ops[i]);
            op_case_integer(&c, name, bad_axes[_i]);
            op_case_refused(&c, "%s is %" PRId64 ", but it must be 0 or 1",
                            name, bad_axes[_i]);
        }
    }
}

LOOP_TEST(reverse_sequence_openvino_rejects_axis_past_rank, COUNT(bad_axes))
{
    if (bad_axes[_i] >= -3 && bad_axes[_i] <= 2)
        return;
    for (int index = 0; index < 2; index++) {
        const char *name =
            sequence_ops[SEQUENCE_OPENVINO]->attributes[index].name;

        sequence_case_init(&c, sequence_ops[SEQUENCE_OPENVINO]);
        op_case_integer(&c, name, bad_axes[_i]);
        op_case_refused(
            &c, "%s is %" PRId64 ", but it must be from -3 to 2 for rank 3",
            name, bad_axes[_i]);
    }
}

LOOP_TEST(reverse_sequence_rejects_same_axes, SEQUENCE_OPS)
{
    const char *time = sequence_ops[_i]->attributes[SEQUENCE_TIME].name;

    sequence_case_init(&c, sequence_ops[_i]);
    op_case_integer(&c, "batch_axis", 0);
    op_case_integer(&c, time, 0);
    sequence_case_refused(&c, "batch_axis and % are both 0");
    op_case_integer(&c, "batch_axis", 1);
    op_case_integer(&c, time, 1);
    sequence_case_refused(&c, "batch_axis and % are both 1");
}

UNIT_TEST(reverse_sequence_openvino_rejects_same_axis_spelt_differently)
{
    sequence_case_init(&c, sequence_ops[SEQUENCE_OPENVINO]);
    op_case_integer(&c, "seq_axis", -3);
    op_case_refused(&c, "batch_axis 0 and seq_axis -3 are both axis 0");
    op_case_integer(&c, "batch_axis", -1);
    op_case_integer(&c, "seq_axis", 2);
    op_case_refused(&c, "batch_axis -1 and seq_axis 2 are both axis 2");
}

UNIT_TEST(reverse_sequence_grad_rejects_unscalable_types)
{
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        if (dtype_is_scalable((enum dtype)dtype))
            continue;
        sequence_case_init(&c, &op_graiphic_reverse_sequence_grad);
        c.call.data.dtype = (enum dtype)dtype;
        op_case_refused(&c,
                        "dY is %s, but a gradient must be FP16, BF16, FP32, "
                        "FP64, COMPLEX64 or COMPLEX128",
                        dtype_info((enum dtype)dtype)->name);
    }
}

/* Everything is wrong at first, then one fault less each time. */
UNIT_TEST(reverse_sequence_checks_in_documented_order)
{
    op_case_init(&c, &op_graiphic_reverse_sequence_grad, DTYPE_INT32, 1,
                 (int64_t[]){8, 4});
    op_case_integer(&c, "batch_axis", 7);
    op_case_integer(&c, "time_axis", -1);
    op_case_control(&c, DTYPE_INT32, 3, (int64_t[]){9, 9, 9, 9});
    c.call.control.shape.rank = 2;
    op_case_refused(&c, "dY is INT32, but a gradient must be FP16, BF16, FP32, "
                        "FP64, COMPLEX64 or COMPLEX128");
    c.call.data.dtype = DTYPE_FP32;
    op_case_refused(&c, "dY has rank 1, but it must be at least 2");
    c.call.data.shape = (struct shape){2, {8, 4}};
    op_case_refused(&c, "batch_axis is 7, but it must be 0 or 1");
    op_case_integer(&c, "batch_axis", 1);
    op_case_refused(&c, "time_axis is -1, but it must be 0 or 1");
    op_case_integer(&c, "time_axis", 1);
    op_case_refused(&c, "batch_axis and time_axis are both 1");
    op_case_integer(&c, "time_axis", 0);
    op_case_refused(&c, "sequence_lens is INT32, but it must be INT64");
    op_case_control(&c, DTYPE_INT64, 3, (int64_t[]){9, 9, 9});
    c.call.control.shape.rank = 2;
    op_case_refused(&c, "sequence_lens has rank 2, but it must be 1");
    c.call.control.shape.rank = 1;
    op_case_refused(&c, "sequence_lens has 3 entries, but axis 1 has 4");
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, 0, 0, 9});
    op_case_refused(&c, "sequence_lens[3] is 9, but axis 0 has 8 entries");
}

LOOP_TEST(reverse_sequence_rejects_lens_datatype, SEQUENCE_OPS)
{
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        const struct dtype_traits *info = dtype_info((enum dtype)dtype);
        bool number = info->kind == DTYPE_KIND_INT ||
                      info->kind == DTYPE_KIND_UINT ||
                      info->kind == DTYPE_KIND_FLOAT;

        if (_i == SEQUENCE_OPENVINO ? number && info->bits >= 8
                                    : dtype == DTYPE_INT64)
            continue;
        sequence_case_init(&c, sequence_ops[_i]);
        c.call.control.dtype = (enum dtype)dtype;
        op_case_refused(&c, "%s is %s, but it must be %s",
                        sequence_ops[_i]->control, info->name,
                        _i == SEQUENCE_OPENVINO
                            ? "an integer type of 8 to 64 bits, FP16, "
                              "BF16, FP32 or FP64"
                            : "INT64");
    }
}

LOOP_TEST(reverse_sequence_rejects_lens_rank, SEQUENCE_OPS)
{
    sequence_case_init(&c, sequence_ops[_i]);
    c.call.control.shape = (struct shape){2, {1, 4}};
    sequence_case_refused(&c, "@ has rank 2, but it must be 1");
    c.call.control.shape.rank = 0;
    sequence_case_refused(&c, "@ has rank 0, but it must be 1");
}

static const struct {
    int64_t count, lens[5];
    const char *message;
} bad_lens[] = {
    {3, {1, 1, 1}, "@ has 3 entries, but axis # has 4"},
    {5, {1, 1, 1, 1, 1}, "@ has 5 entries, but axis # has 4"},
    {4, {8, 0, 1, 9}, "@[3] is 9, but axis $ has 8 entries"},
    {4,
     {INT64_MAX, 0, 1, 9},
     "@[0] is 9223372036854775807, but axis $ has 8 entries"},
    {4, {8, -1, 1, 9}, "@[1] is -1, but it must be from 0 to 8"},
    {4, {8, 0, 1, -5}, "@[3] is -5, but it must be from 0 to 8"},
    {4,
     {8, 0, INT64_MIN, 9},
     "@[2] is -9223372036854775808, but it must be from 0 to 8"},
};

/* Where nothing moves, for a dim is 0, they are checked all the same. */
LOOP_TEST(reverse_sequence_rejects_lens, COUNT(bad_lens))
{
    for (int i = 0; i < 2 * SEQUENCE_OPS; i++) {
        sequence_case_init(&c, sequence_ops[i / 2]);
        c.call.data.shape.dims[2] = 2 * (i % 2);
        op_case_control(&c, DTYPE_INT64, bad_lens[_i].count, bad_lens[_i].lens);
        sequence_case_refused(&c, bad_lens[_i].message);
    }
}

/* 4 lengths, as many as the batch axis has, for axes that are exchanged. */
LOOP_TEST(reverse_sequence_names_axes_that_lens_would_fit, SEQUENCE_OPS)
{
    const char *time = sequence_ops[_i]->attributes[SEQUENCE_TIME].name;
    bool batch_major = _i == SEQUENCE_OPENVINO;

    sequence_case_init(&c, sequence_ops[_i]);
    op_case_integer(&c, "batch_axis", batch_major ? 1 : 0);
    op_case_integer(&c, time, batch_major ? 0 : 1);
    sequence_case_refused(&c, "@ has 4 entries, but axis $ has 8; they would "
                              "fit batch_axis # and % $");
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, 9});
    sequence_case_refused(&c, "@ has 4 entries, but axis $ has 8");
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, -1});
    sequence_case_refused(&c, "@ has 4 entries, but axis $ has 8");
}

/* Axes from the end are named as they are counted from the begin. */
UNIT_TEST(reverse_sequence_openvino_names_any_axes_that_lens_would_fit)
{
    sequence_case_init(&c, sequence_ops[SEQUENCE_OPENVINO]);
    op_case_integer(&c, "batch_axis", -1);
    op_case_integer(&c, "seq_axis", -3);
    op_case_control(&c, DTYPE_UINT8, 4, (int64_t[]){2, 0, 1, 2});
    op_case_refused(&c, "seq_lengths has 4 entries, but axis 2 has 2; they "
                        "would fit batch_axis 0 and seq_axis 2");
    c.call.control.shape = (struct shape){2, {4, 1}};
    op_case_refused(&c, "seq_lengths has 4 entries, but axis 2 has 2; they "
                        "would fit batch_axis 0 and seq_axis 2");
}

UNIT_TEST(reverse_sequence_openvino_rejects_lens_that_are_not_whole)
{
    double lens[4] = {8, 0, 1.5, 1};

    sequence_case_init(&c, sequence_ops[SEQUENCE_OPENVINO]);
    op_case_control(&c, DTYPE_FP64, 4, (int64_t[]){0, 0, 0, 0});
    memcpy(c.control + 1, lens, sizeof(lens));
    op_case_refused(&c, "seq_lengths[2] is 1.5, which is not a whole number");
    lens[2] = (double)NAN;
    memcpy(c.control + 1, lens, sizeof(lens));
    op_case_refused(&c, "seq_lengths[2] is NaN, which is no 64-bit integer");
}

/* More than any machine has, so the lengths are not even read. */
LOOP_TEST(reverse_sequence_fails_without_memory_for_lens, SEQUENCE_OPS)
{
    int64_t batch = INT64_C(1) << 60;
    bool batch_major = _i == SEQUENCE_OPENVINO;

    sequence_case_init(&c, sequence_ops[_i]);
    c.call.data.shape.dims[batch_major ? 0 : 1] = batch;
    c.call.data.shape.dims[batch_major ? 1 : 0] = 1;
    c.call.data.shape.dims[2] = 1;
    c.call.control.shape.dims[0] = batch;
    ck_assert(!op_describe(sequence_ops[_i], &c.call, &c.p, &c.st));
    ck_assert_int_eq(c.st.code, STATUS_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(c.st.message, sequence_ops[_i]->control));
    permutation_free(&c.p);
}
