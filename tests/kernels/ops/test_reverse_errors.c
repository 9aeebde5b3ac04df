#include <inttypes.h>
#include <stdio.h>

#include "kernels/ops/op.h"
#include "tests/kernels/ops/op_case.h"
#include "tests/unit.h"

static void start(struct op_case *c, const char *mode)
{
    static const int64_t cube[] = {2, 3, 4};

    op_case_init(c, &op_openvino_reverse, DTYPE_FP32, 3, cube);
    op_case_text(c, "mode", mode);
}

UNIT_TEST(reverse_requires_mode)
{
    static struct op_case c;

    start(&c, "");
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
    static const int64_t axes[] = {3,
                                   -4,
                                   INT64_C(1) << 31,
                                   INT64_MAX,
                                   INT64_MIN,
                                   (INT64_C(1) << 32) + 1,
                                   -(INT64_C(1) << 32)};
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

    for (size_t i = 0; i < sizeof(axes) / sizeof(*axes); i++) {
        start(&c, "index");
        op_case_control(&c, DTYPE_INT64, 2, (int64_t[]){1, axes[i]});
        snprintf(message, sizeof(message),
                 "axis[1] is %" PRId64 ", but it must be from -3 to 2 for "
                 "rank 3",
                 axes[i]);
        op_case_refused(&c, message);
    }
}

UNIT_TEST(reverse_rejects_axis_past_int64)
{
    static struct op_case c;

    start(&c, "index");
    op_case_control(&c, DTYPE_UINT64, 1, (int64_t[]){-1});
    op_case_refused(&c, "axis[0] is 18446744073709551615, which is past "
                        "9223372036854775807");
}

UNIT_TEST(reverse_rejects_any_axis_of_scalar)
{
    static struct op_case c;

    op_case_init(&c, &op_openvino_reverse, DTYPE_FP32, 0, NULL);
    op_case_text(&c, "mode", "index");
    op_case_control(&c, DTYPE_INT8, 1, (int64_t[]){0});
    op_case_refused(&c, "axis[0] is 0, but data has rank 0 and so no axes");
}

UNIT_TEST(reverse_rejects_axis_datatype)
{
    static struct op_case c;
    char message[STATUS_MESSAGE_SIZE];

    for (int i = 0; i < DTYPE_COUNT; i++) {
        const struct dtype_traits *info = dtype_info((enum dtype)i);
        bool integer =
            info->kind == DTYPE_KIND_INT || info->kind == DTYPE_KIND_UINT;

        start(&c, "index");
        c.call.control.dtype = (enum dtype)i;
        snprintf(message, sizeof(message),
                 "axis is %s, but in index mode it must be an integer type of "
                 "8 to 64 bits",
                 info->name);
        if (!integer || info->bits < 8)
            op_case_refused(&c, message);
        start(&c, "mask");
        c.call.control.dtype = (enum dtype)i;
        snprintf(message, sizeof(message),
                 "axis is %s, but in mask mode it must be BOOL", info->name);
        if (i != DTYPE_BOOL)
            op_case_refused(&c, message);
    }
}

UNIT_TEST(reverse_rejects_axis_rank)
{
    static struct op_case c;

    start(&c, "index");
    c.call.control.shape.rank = 0;
    op_case_refused(&c, "axis has rank 0, but it must be 1");
    start(&c, "mask");
    op_case_control(&c, DTYPE_BOOL, 3, (int64_t[]){0, 0, 0});
    c.call.control.shape = (struct shape){2, {1, 3}};
    op_case_refused(&c, "axis has rank 2, but it must be 1");
}

UNIT_TEST(reverse_rejects_mask_length)
{
    static struct op_case c;

    start(&c, "mask");
    op_case_control(&c, DTYPE_BOOL, 2, (int64_t[]){0, 1});
    op_case_refused(&c, "axis has 2 entries, but in mask mode it must have "
                        "one for each of the 3 axes of data");
    op_case_control(&c, DTYPE_BOOL, 4, (int64_t[]){0, 1, 0, 1});
    op_case_refused(&c, "axis has 4 entries, but in mask mode it must have "
                        "one for each of the 3 axes of data");
}

UNIT_TEST(reverse_rejects_mask_byte_other_than_0_and_1)
{
    static struct op_case c;

    start(&c, "mask");
    op_case_control(&c, DTYPE_BOOL, 3, (int64_t[]){1, 0, 255});
    op_case_refused(&c, "axis[2] is 255, but a BOOL must be 0 or 1");
    op_case_control(&c, DTYPE_BOOL, 3, (int64_t[]){1, 2, 0});
    op_case_refused(&c, "axis[1] is 2, but a BOOL must be 0 or 1");
}

/* Everything is wrong at first, then one fault less each time. */
UNIT_TEST(reverse_checks_in_documented_order)
{
    static struct op_case c;

    start(&c, "masks");
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
