/* reverse: Y[c] = X[c'], c'_a = D_a - 1 - c_a on each named axis a.
 *
 * data of any datatype and rank. `mode` says how `axis`, of rank 1, names them:
 * "index": any 8 to 64-bit integers, each in -rank .. rank-1; repeats count
 * once. "mask": BOOL, one for each axis of data.
 * Fails with INVALID at the first of: mode, axis datatype, axis rank, mask
 * length, axis values.
 * Source: OpenVINO Reverse-1. */
#include <inttypes.h>
#include <string.h>

#include "kernels/ops/op.h"

enum { MODE };

static const struct attribute attributes[] = {
    [MODE] = {.name = "mode", .kind = ATTRIBUTE_TEXT},
    {0},
};

static bool read_mode(const struct op_call *call, bool *mask, struct status *st)
{
    const struct attribute_value *mode = &call->attributes[MODE];

    if (!mode->given || !mode->text)
        return status_fail(st, STATUS_INVALID,
                           "mode is missing: it must be \"index\" or \"mask\"");
    *mask = strcmp(mode->text, "mask") == 0;
    if (!*mask && strcmp(mode->text, "index") != 0)
        return status_fail(st, STATUS_INVALID,
                           "mode must be \"index\" or \"mask\", not \"%s\"",
                           mode->text);
    return true;
}

static bool check_datatype(const struct tensor *axis, bool mask,
                           struct status *st)
{
    const struct dtype_traits *info = dtype_info(axis->dtype);
    bool integer =
        info->kind == DTYPE_KIND_INT || info->kind == DTYPE_KIND_UINT;

    if (mask && info->kind != DTYPE_KIND_BOOL)
        return status_fail(st, STATUS_INVALID,
                           "%s is %s, but in mask mode it must be BOOL",
                           axis->name, info->name);
    if (!mask && !(integer && info->bits >= 8))
        return status_fail(st, STATUS_INVALID,
                           "%s is %s, but in index mode it must be an integer "
                           "type of 8 to 64 bits",
                           axis->name, info->name);
    return true;
}

static bool check_shape(const struct op_call *call, bool mask,
                        struct status *st)
{
    const struct shape *shape = &call->control.shape;

    /* Clients that hold a table send axes as a column of it. [1, 1] is as much
     * a row: it is refused. */
    if (shape->rank != 1 &&
        (shape->rank != 2 || shape->dims[0] == 1 || shape->dims[1] != 1))
        return status_fail(st, STATUS_INVALID,
                           "%s has rank %d, but it must be 1",
                           call->control.name, shape->rank);
    if (mask && shape->dims[0] != call->data.shape.rank)
        return status_fail(st, STATUS_INVALID,
                           "%s has %" PRId64 " entries, but in mask mode it "
                           "must have one for each of the %d axes of %s",
                           call->control.name, shape->dims[0],
                           call->data.shape.rank, call->data.name);
    return true;
}

static bool flip_masked(const struct op_call *call, struct permutation *p,
                        struct status *st)
{
    for (int i = 0; i < call->data.shape.rank; i++) {
        int named = call->control.data[i];

        if (named > 1)
            return status_fail(st, STATUS_INVALID,
                               "%s[%d] is %d, but a BOOL must be 0 or 1",
                               call->control.name, i, named);
        if (named)
            permutation_flip(p, i);
    }
    return true;
}

static bool out_of_range(const struct op_call *call, int64_t i, int64_t axis,
                         struct status *st)
{
    int rank = call->data.shape.rank;

    if (rank == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s[%" PRId64 "] is %" PRId64
                           ", but %s has rank 0 and so no axes",
                           call->control.name, i, axis, call->data.name);
    return status_fail(st, STATUS_INVALID,
                       "%s[%" PRId64 "] is %" PRId64
                       ", but it must be from %d to %d for rank %d",
                       call->control.name, i, axis, -rank, rank - 1, rank);
}

static bool flip_indexed(const struct op_call *call, struct permutation *p,
                         struct status *st)
{
    int rank = call->data.shape.rank;
    int64_t axis;

    for (int64_t i = 0; i < call->control.shape.dims[0]; i++) {
        if (!tensor_integer(&call->control, (uint64_t)i, &axis, st))
            return false;
        if (axis < -rank || axis >= rank)
            return out_of_range(call, i, axis, st);
        permutation_flip(p, (int)(axis < 0 ? axis + rank : axis));
    }
    return true;
}

static bool describe(const struct op *op, const struct op_call *call,
                     struct permutation *p, struct status *st)
{
    bool mask;

    (void)op;
    return read_mode(call, &mask, st) &&
           check_datatype(&call->control, mask, st) &&
           check_shape(call, mask, st) &&
           (mask ? flip_masked(call, p, st) : flip_indexed(call, p, st));
}

const struct op op_openvino_reverse = {
    .name = "openvino.Reverse",
    .version = "1",
    .summary = "Reverses whole axes; mode is index or mask, and says how axis "
               "names them",
    .data = "data",
    .control = "axis",
    .takes = "integers, or BOOL with mode mask; 1-D",
    .output = "output",
    .attributes = attributes,
    .describe = describe,
};
