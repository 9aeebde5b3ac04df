#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/reverse_sequence.h"
#include "kernels/scale.h"
#include "tests/kernels/op_case.h"

static const struct op *const family[] = {
    &op_onnx_reverse_sequence,
    &op_graiphic_reverse_sequence,
    &op_graiphic_reverse_sequence_grad,
    &op_openvino_reverse_sequence,
};

enum { FAMILY = sizeof(family) / sizeof(*family), OPENVINO = FAMILY - 1 };

/* A good call: 8 entries of time, 4 of batch, each where its default is. */
static void start(struct op_case *c, const struct op *op)
{
    bool batch_major = op == &op_openvino_reverse_sequence;

    op_case_init(c, op, DTYPE_FP32, 3,
                 batch_major ? (int64_t[]){4, 8, 2} : (int64_t[]){8, 4, 2});
    op_case_control(c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, 5});
}

/* Expects the refusal, which says `control` or `time` as the operator does. */
static void refused(struct op_case *c, const char *format, const char *name)
{
    char message[STATUS_MESSAGE_SIZE];
    const char *hole = strstr(format, "@");

    snprintf(message, sizeof(message), "%.*s%s%s", (int)(hole - format), format,
             name, hole + 1);
    op_case_refused(c, message);
}

START_TEST(reverse_sequence_rejects_rank_below_two)
{
    static struct op_case c;

    for (int rank = 0; rank < 2; rank++) {
        start(&c, family[_i]);
        c.call.data.shape.rank = rank;
        refused(&c,
                rank ? "@ has rank 1, but it must be at least 2"
                     : "@ has rank 0, but it must be at least 2",
                family[_i]->data);
    }
}
END_TEST

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

START_TEST(reverse_sequence_rejects_axis_other_than_0_and_1)
{
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

    for (int i = 0; i < OPENVINO; i++) {
        for (int place = 0; place < 2; place++) {
            const char *name = family[i]->attributes[place].name;

            start(&c, family[i]);
            op_case_integer(&c, name, bad_axes[_i]);
            snprintf(message, sizeof(message),
                     "%s is %" PRId64 ", but it must be 0 or 1", name,
                     bad_axes[_i]);
            op_case_refused(&c, message);
        }
    }
}
END_TEST

START_TEST(reverse_sequence_openvino_rejects_axis_past_rank)
{
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

    if (bad_axes[_i] >= -3 && bad_axes[_i] <= 2)
        return;
    for (int place = 0; place < 2; place++) {
        const char *name = family[OPENVINO]->attributes[place].name;

        start(&c, family[OPENVINO]);
        op_case_integer(&c, name, bad_axes[_i]);
        snprintf(message, sizeof(message),
                 "%s is %" PRId64 ", but it must be from -3 to 2 for rank 3",
                 name, bad_axes[_i]);
        op_case_refused(&c, message);
    }
}
END_TEST

START_TEST(reverse_sequence_rejects_same_axes)
{
    static struct op_case c;

    for (int64_t axis = 0; axis < 2; axis++) {
        const char *time = family[_i]->attributes[REVERSE_SEQUENCE_TIME].name;

        start(&c, family[_i]);
        op_case_integer(&c, "batch_axis", axis);
        op_case_integer(&c, time, axis);
        refused(&c,
                axis ? "batch_axis and @ are both 1"
                     : "batch_axis and @ are both 0",
                time);
    }
}
END_TEST

START_TEST(reverse_sequence_openvino_rejects_same_axis_spelt_differently)
{
    static struct op_case c;

    start(&c, family[OPENVINO]);
    op_case_integer(&c, "seq_axis", -3);
    op_case_refused(&c, "batch_axis 0 and seq_axis -3 are both axis 0");
    op_case_integer(&c, "batch_axis", -1);
    op_case_integer(&c, "seq_axis", 2);
    op_case_refused(&c, "batch_axis -1 and seq_axis 2 are both axis 2");
}
END_TEST

START_TEST(reverse_sequence_grad_rejects_what_cannot_be_scaled)
{
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        if (scale_takes((enum dtype)dtype))
            continue;
        start(&c, &op_graiphic_reverse_sequence_grad);
        c.call.data.dtype = (enum dtype)dtype;
        snprintf(message, sizeof(message),
                 "dY is %s, but a gradient must be FP16, BF16, FP32, FP64, "
                 "COMPLEX64 or COMPLEX128",
                 dtype_info((enum dtype)dtype)->name);
        op_case_refused(&c, message);
    }
}
END_TEST

/* Everything is wrong at first, then one fault less each time. */
START_TEST(reverse_sequence_checks_in_documented_order)
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
END_TEST

static Suite *suite(void)
{
    int axes = (int)(sizeof(bad_axes) / sizeof(*bad_axes));
    Suite *s = suite_create("reverse_sequence_errors");
    TCase *tc = tcase_create("reverse_sequence_errors");

    tcase_add_loop_test(tc, reverse_sequence_rejects_rank_below_two, 0, FAMILY);
    tcase_add_loop_test(tc, reverse_sequence_rejects_axis_other_than_0_and_1, 0,
                        axes);
    tcase_add_loop_test(tc, reverse_sequence_openvino_rejects_axis_past_rank, 0,
                        axes);
    tcase_add_loop_test(tc, reverse_sequence_rejects_same_axes, 0, FAMILY);
    tcase_add_test(
        tc, reverse_sequence_openvino_rejects_same_axis_spelt_differently);
    tcase_add_test(tc, reverse_sequence_grad_rejects_what_cannot_be_scaled);
    tcase_add_test(tc, reverse_sequence_checks_in_documented_order);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
