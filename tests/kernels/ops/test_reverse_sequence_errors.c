#include <inttypes.h>
#include <stdio.h>

#include "kernels/move/move.h"
#include "kernels/ops/op.h"
#include "tests/kernels/ops/op_case.h"
#include "tests/unit.h"

LOOP_TEST(reverse_sequence_rejects_rank_below_two, SEQUENCE_OPS)
{
    static struct op_case c;

    for (int rank = 0; rank < 2; rank++) {
        sequence_case_init(&c, sequence_ops[_i]);
        c.call.data.shape.rank = rank;
        sequence_case_refused(&c,
                              rank ? "@ has rank 1, but it must be at least 2"
                                   : "@ has rank 0, but it must be at least 2",
                              sequence_ops[_i]->data);
    }
}

static const int64_t bad_axes[] = {2,
                                   -1,
                                   3,
                                   -4,
                                   INT64_MAX,
                                   INT64_MIN,
                                   -2,
                                   -3,
                                   INT64_C(1) << 31,
                                   INT64_C(1) << 32,
                                   (INT64_C(1) << 32) + 1};

LOOP_TEST(reverse_sequence_rejects_axis_other_than_0_and_1, COUNT(bad_axes))
{
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

    for (int i = 0; i < SEQUENCE_OPENVINO; i++) {
        for (int index = 0; index < 2; index++) {
            const char *name = sequence_ops[i]->attributes[index].name;

            sequence_case_init(&c, sequence_ops[i]);
            op_case_integer(&c, name, bad_axes[_i]);
            snprintf(message, sizeof(message),
                     "%s is %" PRId64 ", but it must be 0 or 1", name,
                     bad_axes[_i]);
            op_case_refused(&c, message);
        }
    }
}

LOOP_TEST(reverse_sequence_openvino_rejects_axis_past_rank, COUNT(bad_axes))
{
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

    if (bad_axes[_i] >= -3 && bad_axes[_i] <= 2)
        return;
    for (int index = 0; index < 2; index++) {
        const char *name =
            sequence_ops[SEQUENCE_OPENVINO]->attributes[index].name;

        sequence_case_init(&c, sequence_ops[SEQUENCE_OPENVINO]);
        op_case_integer(&c, name, bad_axes[_i]);
        snprintf(message, sizeof(message),
                 "%s is %" PRId64 ", but it must be from -3 to 2 for rank 3",
                 name, bad_axes[_i]);
        op_case_refused(&c, message);
    }
}

LOOP_TEST(reverse_sequence_rejects_same_axes, SEQUENCE_OPS)
{
    static struct op_case c;

    for (int64_t axis = 0; axis < 2; axis++) {
        const char *time = sequence_ops[_i]->attributes[SEQUENCE_TIME].name;

        sequence_case_init(&c, sequence_ops[_i]);
        op_case_integer(&c, "batch_axis", axis);
        op_case_integer(&c, time, axis);
        sequence_case_refused(&c,
                              axis ? "batch_axis and @ are both 1"
                                   : "batch_axis and @ are both 0",
                              time);
    }
}

UNIT_TEST(reverse_sequence_openvino_rejects_same_axis_spelt_differently)
{
    static struct op_case c;

    sequence_case_init(&c, sequence_ops[SEQUENCE_OPENVINO]);
    op_case_integer(&c, "seq_axis", -3);
    op_case_refused(&c, "batch_axis 0 and seq_axis -3 are both axis 0");
    op_case_integer(&c, "batch_axis", -1);
    op_case_integer(&c, "seq_axis", 2);
    op_case_refused(&c, "batch_axis -1 and seq_axis 2 are both axis 2");
}

UNIT_TEST(reverse_sequence_grad_rejects_unscalable_types)
{
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        if (dtype_is_scalable((enum dtype)dtype))
            continue;
        sequence_case_init(&c, &op_graiphic_reverse_sequence_grad);
        c.call.data.dtype = (enum dtype)dtype;
        snprintf(message, sizeof(message),
                 "dY is %s, but a gradient must be FP16, BF16, FP32, FP64, "
                 "COMPLEX64 or COMPLEX128",
                 dtype_info((enum dtype)dtype)->name);
        op_case_refused(&c, message);
    }
}

/* Everything is wrong at first, then one fault less each time. */
UNIT_TEST(reverse_sequence_checks_in_documented_order)
{
    static struct op_case c;

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
