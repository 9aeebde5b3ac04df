#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/ops/op.h"
#include "tests/kernels/ops/op_case.h"
#include "tests/unit.h"

LOOP_TEST(reverse_sequence_rejects_lens_datatype, SEQUENCE_OPS)
{
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

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
        snprintf(message, sizeof(message), "%s is %s, but it must be %s",
                 sequence_ops[_i]->control, info->name,
                 _i == SEQUENCE_OPENVINO
                     ? "an integer type of 8 to 64 bits, FP16, "
                       "BF16, FP32 or FP64"
                     : "INT64");
        op_case_refused(&c, message);
    }
}

LOOP_TEST(reverse_sequence_rejects_lens_rank, SEQUENCE_OPS)
{
    static struct op_case c;

    sequence_case_init(&c, sequence_ops[_i]);
    c.call.control.shape = (struct shape){2, {1, 4}};
    sequence_case_refused(&c, "@ has rank 2, but it must be 1",
                          sequence_ops[_i]->control);
    c.call.control.shape.rank = 0;
    sequence_case_refused(&c, "@ has rank 0, but it must be 1",
                          sequence_ops[_i]->control);
}

LOOP_TEST(reverse_sequence_rejects_lens_count, SEQUENCE_OPS)
{
    static struct op_case c;

    sequence_case_init(&c, sequence_ops[_i]);
    op_case_control(&c, DTYPE_INT64, 3, (int64_t[]){1, 1, 1});
    sequence_case_refused(&c,
                          _i == SEQUENCE_OPENVINO
                              ? "@ has 3 entries, but axis 0 has 4"
                              : "@ has 3 entries, but axis 1 has 4",
                          sequence_ops[_i]->control);
    op_case_control(&c, DTYPE_INT64, 5, (int64_t[]){1, 1, 1, 1, 1});
    sequence_case_refused(&c,
                          _i == SEQUENCE_OPENVINO
                              ? "@ has 5 entries, but axis 0 has 4"
                              : "@ has 5 entries, but axis 1 has 4",
                          sequence_ops[_i]->control);
}

/* 4 lengths, as many as the batch axis has, for axes that are exchanged. */
LOOP_TEST(reverse_sequence_names_axes_that_lens_would_fit, SEQUENCE_OPS)
{
    static struct op_case c;
    const char *time = sequence_ops[_i]->attributes[SEQUENCE_TIME].name;
    bool batch_major = _i == SEQUENCE_OPENVINO;

    sequence_case_init(&c, sequence_ops[_i]);
    op_case_integer(&c, "batch_axis", batch_major ? 1 : 0);
    op_case_integer(&c, time, batch_major ? 0 : 1);
    sequence_case_refused(
        &c,
        batch_major ? "seq_lengths has 4 entries, but axis 1 has 8; they "
                      "would fit batch_axis 0 and @ 1"
                    : "sequence_lens has 4 entries, but axis 0 has 8; they "
                      "would fit batch_axis 1 and @ 0",
        time);
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, 9});
    sequence_case_refused(&c,
                          batch_major ? "@ has 4 entries, but axis 1 has 8"
                                      : "@ has 4 entries, but axis 0 has 8",
                          sequence_ops[_i]->control);
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, -1});
    sequence_case_refused(&c,
                          batch_major ? "@ has 4 entries, but axis 1 has 8"
                                      : "@ has 4 entries, but axis 0 has 8",
                          sequence_ops[_i]->control);
}

/* Axes from the end are named as they are counted from the begin. */
UNIT_TEST(reverse_sequence_openvino_names_any_axes_that_lens_would_fit)
{
    static struct op_case c;

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

LOOP_TEST(reverse_sequence_rejects_lens_past_time_axis, SEQUENCE_OPS)
{
    static struct op_case c;

    sequence_case_init(&c, sequence_ops[_i]);
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, 9});
    sequence_case_refused(&c,
                          _i == SEQUENCE_OPENVINO
                              ? "@[3] is 9, but axis 1 has 8 entries"
                              : "@[3] is 9, but axis 0 has 8 entries",
                          sequence_ops[_i]->control);
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){INT64_MAX, 0, 1, 9});
    sequence_case_refused(
        &c,
        _i == SEQUENCE_OPENVINO
            ? "@[0] is 9223372036854775807, but axis 1 has 8 entries"
            : "@[0] is 9223372036854775807, but axis 0 has 8 entries",
        sequence_ops[_i]->control);
}

LOOP_TEST(reverse_sequence_rejects_negative_lens, SEQUENCE_OPS)
{
    static struct op_case c;

    sequence_case_init(&c, sequence_ops[_i]);
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, -1, 1, 9});
    sequence_case_refused(&c, "@[1] is -1, but it must be from 0 to 8",
                          sequence_ops[_i]->control);
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, 0, INT64_MIN, 9});
    sequence_case_refused(
        &c, "@[2] is -9223372036854775808, but it must be from 0 to 8",
        sequence_ops[_i]->control);
}

UNIT_TEST(reverse_sequence_openvino_rejects_lens_that_are_not_whole)
{
    static struct op_case c;
    double lens[4] = {8, 0, 1.5, 1};

    sequence_case_init(&c, sequence_ops[SEQUENCE_OPENVINO]);
    op_case_control(&c, DTYPE_FP64, 4, (int64_t[]){0, 0, 0, 0});
    memcpy(c.control + 1, lens, sizeof(lens));
    op_case_refused(&c, "seq_lengths[2] is 1.5, which is not a whole number");
    lens[2] = (double)NAN;
    memcpy(c.control + 1, lens, sizeof(lens));
    op_case_refused(&c, "seq_lengths[2] is NaN, which is no 64-bit integer");
}

/* Nothing moves, but the lengths are checked all the same. */
LOOP_TEST(reverse_sequence_checks_lens_of_empty_tensor, SEQUENCE_OPS)
{
    static struct op_case c;

    sequence_case_init(&c, sequence_ops[_i]);
    c.call.data.shape.dims[2] = 0;
    op_case_control(&c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, -5});
    sequence_case_refused(&c, "@[3] is -5, but it must be from 0 to 8",
                          sequence_ops[_i]->control);
}

/* More than any machine has, so the lengths are not even read. */
LOOP_TEST(reverse_sequence_fails_without_memory_for_lens, SEQUENCE_OPS)
{
    static struct op_case c;
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
