/* reverse_sequence: Y[.., t, ..] = X[.., L[b]-1-t, ..] for t < L[b]
 *
 * data [.., T, .., B, ..] of rank >= 2, any datatype; lens [B], each in 0 .. T.
 * The gradient is the same permutation of dY, which is a float or complex type.
 * Fails with INVALID at the first of: datatype of data, rank, axes (batch, then
 * time), the two being the same, lens datatype, lens rank, lens count, lens
 * values; with NO_MEMORY when the lengths cannot be kept.
 * Describes the permutation, touches no data; O(rank + B) memory.
 * Source: ONNX ReverseSequence-10; OpenVINO ReverseSequence-1; Graiphic's
 * ReverseSequence node. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/size.h"
#include "kernels/core/status.h"
#include "kernels/ops/op.h"

/* Indexes of the axes in every attribute table of the family. */
enum { BATCH, TIME };

/* The differences between the members of the family: bits of op.rules. */
enum {
    ANY_AXIS = 1,    /* in -rank .. rank-1; else 0 or 1 */
    ANY_NUMBERS = 2, /* lens of any number type; else INT64 */
};

struct axes {
    int batch, time;
};

static bool check_data(const struct op *op, const struct op_call *call,
                       struct status *st)
{
    if (op->scales && !dtype_is_scalable(call->data.dtype))
        return status_fail(st, STATUS_INVALID,
                           "%s is %s, but a gradient must be FP16, BF16, FP32, "
                           "FP64, COMPLEX64 or COMPLEX128",
                           call->data.name, dtype_info(call->data.dtype)->name);
    if (call->data.shape.rank < 2)
        return status_fail(st, STATUS_INVALID,
                           "%s has rank %d, but it must be at least 2",
                           call->data.name, call->data.shape.rank);
    return true;
}

enum { AXIS_SIZE = 64 };

/* Writes an axis as it was sent to `text` of AXIS_SIZE bytes; returns `text`.
 */
static const char *print_axis(const struct attribute_value *axis, char *text)
{
    if (axis->text)
        return shorten(axis->text, strlen(axis->text), text, AXIS_SIZE);
    snprintf(text, AXIS_SIZE, "%" PRId64, axis->integer);
    return text;
}

static bool read_axis(const struct op *op, const struct op_call *call,
                      int index, int *axis, struct status *st)
{
    const char *name = op->attributes[index].name;
    int64_t value = call->attributes[index].integer;
    int rank = call->data.shape.rank;
    char text[AXIS_SIZE];

    if (!(op->rules & ANY_AXIS) && value != 0 && value != 1)
        return status_fail(st, STATUS_INVALID,
                           "%s is %s, but it must be 0 or 1", name,
                           print_axis(&call->attributes[index], text));
    if (value < -rank || value >= rank)
        return status_fail(st, STATUS_INVALID,
                           "%s is %s, but it must be from %d to %d for rank %d",
                           name, print_axis(&call->attributes[index], text),
                           -rank, rank - 1, rank);
    *axis = (int)(value < 0 ? value + rank : value);
    return true;
}

static bool read_axes(const struct op *op, const struct op_call *call,
                      struct axes *axes, struct status *st)
{
    const char *batch = op->attributes[BATCH].name;
    const char *time = op->attributes[TIME].name;
    char batch_text[AXIS_SIZE], time_text[AXIS_SIZE];

    if (!read_axis(op, call, BATCH, &axes->batch, st) ||
        !read_axis(op, call, TIME, &axes->time, st))
        return false;
    if (axes->batch != axes->time)
        return true;
    print_axis(&call->attributes[BATCH], batch_text);
    print_axis(&call->attributes[TIME], time_text);
    if (strcmp(batch_text, time_text) == 0)
        return status_fail(st, STATUS_INVALID, "%s and %s are both %s", batch,
                           time, time_text);
    return status_fail(st, STATUS_INVALID, "%s %s and %s %s are both axis %d",
                       batch, batch_text, time, time_text, axes->time);
}

static bool check_lens_datatype(const struct op *op, const struct tensor *lens,
                                struct status *st)
{
    const struct dtype_traits *info = dtype_info(lens->dtype);
    bool number = info->kind == DTYPE_KIND_INT ||
                  info->kind == DTYPE_KIND_UINT ||
                  info->kind == DTYPE_KIND_FLOAT;

    if (!(op->rules & ANY_NUMBERS) && lens->dtype != DTYPE_INT64)
        return status_fail(st, STATUS_INVALID, "%s is %s, but it must be INT64",
                           lens->name, info->name);
    if (!number || info->bits < 8)
        return status_fail(
            st, STATUS_INVALID,
            "%s is %s, but it must be an integer type of 8 to 64 "
            "bits, FP16, BF16, FP32 or FP64",
            lens->name, info->name);
    return true;
}

/* Checks every length, also of an empty tensor. Stores the lengths to `lens`,
 * which may be NULL. */
static bool read_lens(const struct op_call *call, const struct axes *axes,
                      int64_t *lens, struct status *st)
{
    const struct tensor *control = &call->control;
    int64_t limit = call->data.shape.dims[axes->time];
    int64_t len;

    for (int64_t b = 0; b < control->shape.dims[0]; b++) {
        if (!tensor_integer(control, (uint64_t)b, &len, st))
            return false;
        if (len < 0)
            return status_fail(st, STATUS_INVALID,
                               "%s[%" PRId64 "] is %" PRId64
                               ", but it must be from 0 to %" PRId64,
                               control->name, b, len, limit);
        if (len > limit)
            return status_fail(st, STATUS_INVALID,
                               "%s[%" PRId64 "] is %" PRId64
                               ", but axis %d has %" PRId64 " entries",
                               control->name, b, len, axes->time, limit);
        if (lens)
            lens[b] = len;
    }
    return true;
}

/* Writes the axes under which the lengths would be right, the other way round;
 * "" when they would not. */
static const char *swap_hint(const struct op *op, const struct op_call *call,
                             const struct axes *axes, char *text, size_t size)
{
    const struct axes swapped = {.batch = axes->time, .time = axes->batch};
    struct status ignored;

    *text = '\0';
    if (call->control.shape.dims[0] == call->data.shape.dims[swapped.batch] &&
        read_lens(call, &swapped, NULL, &ignored))
        snprintf(text, size, "; they would fit %s %d and %s %d",
                 op->attributes[BATCH].name, swapped.batch,
                 op->attributes[TIME].name, swapped.time);
    return text;
}

static bool check_lens_shape(const struct op *op, const struct op_call *call,
                             const struct axes *axes, struct status *st)
{
    const struct tensor *lens = &call->control;
    int64_t batch = call->data.shape.dims[axes->batch];
    char hint[80];

    /* Clients that hold a table send the lengths as a column of it, [batch, 1].
     */
    if (lens->shape.rank != 1 &&
        (lens->shape.rank != 2 || lens->shape.dims[1] != 1))
        return status_fail(st, STATUS_INVALID,
                           "%s has rank %d, but it must be 1", lens->name,
                           lens->shape.rank);
    if (lens->shape.dims[0] != batch)
        return status_fail(st, STATUS_INVALID,
                           "%s has %" PRId64
                           " entries, but axis %d has %" PRId64 "%s",
                           lens->name, lens->shape.dims[0], axes->batch, batch,
                           swap_hint(op, call, axes, hint, sizeof(hint)));
    return true;
}

static bool flip_lens(const struct op_call *call, const struct axes *axes,
                      struct permutation *p, struct status *st)
{
    size_t batch = (size_t)call->control.shape.dims[0];
    int64_t *lens;

    /* The time axis may be empty and the batch large: no length is needed then.
     */
    if (p->row_count == 0)
        return read_lens(call, axes, NULL, st);
    lens = malloc(size_multiply(batch, sizeof(*lens)));
    if (!lens)
        return status_fail(st, STATUS_NO_MEMORY,
                           "no memory for the %zu entries of %s", batch,
                           call->control.name);
    if (!read_lens(call, axes, lens, st)) {
        free(lens);
        return false;
    }
    permutation_flip_lens(p, axes->time, axes->batch, lens);
    return true;
}

static bool describe(const struct op *op, const struct op_call *call,
                     struct permutation *p, struct status *st)
{
    struct axes axes;

    return check_data(op, call, st) && read_axes(op, call, &axes, st) &&
           check_lens_datatype(op, &call->control, st) &&
           check_lens_shape(op, call, &axes, st) &&
           flip_lens(call, &axes, p, st);
}

/* Attributes of several operators: the axes, time-major unless told otherwise,
 * and the coefficient. */
#define TIME_MAJOR_AXES                                                        \
    [BATCH] = {.name = "batch_axis", .fallback = 1}, [TIME] = {                \
                                                         .name = "time_axis",  \
                                                         .fallback = 0}
#define COEFFICIENT                                                            \
    {                                                                          \
        .name = "lda_coeff", .alias = "lda coeff", .kind = ATTRIBUTE_FLOAT,    \
        .role = ATTRIBUTE_COEFFICIENT, .fallback = 1,                          \
    }

/* ONNX ReverseSequence-10. */
static const struct attribute onnx_attributes[] = {
    TIME_MAJOR_AXES,
    {0},
};

const struct op op_onnx_reverse_sequence = {
    .name = "onnx.ReverseSequence",
    .version = "10",
    .summary = "Reverses the first sequence_lens[b] entries along the time "
               "axis for each entry b of the batch axis",
    .data = "input",
    .control = "sequence_lens",
    .takes = "INT64 [batch]",
    .output = "Y",
    .attributes = onnx_attributes,
    .describe = describe,
};

/* OpenVINO ReverseSequence-1: batch-major unless told otherwise. */
static const struct attribute openvino_attributes[] = {
    [BATCH] = {.name = "batch_axis", .fallback = 0},
    [TIME] = {.name = "seq_axis", .fallback = 1},
    {0},
};

const struct op op_openvino_reverse_sequence = {
    .name = "openvino.ReverseSequence",
    .version = "1",
    .summary = "Reverses the first seq_lengths[b] entries along the sequence "
               "axis for each entry b of the batch axis",
    .data = "data",
    .control = "seq_lengths",
    .takes = "numbers of any type [batch]",
    .output = "output",
    .attributes = openvino_attributes,
    .rules = ANY_AXIS | ANY_NUMBERS,
    .describe = describe,
};

/* Graiphic's ReverseSequence node and its backward pass. */
static const struct attribute forward_attributes[] = {
    TIME_MAJOR_AXES,
    {.name = "training",
     .alias = "training?",
     .kind = ATTRIBUTE_BOOL,
     .role = ATTRIBUTE_TRAINING,
     .fallback = 1},
    COEFFICIENT,
    {.name = "name", .kind = ATTRIBUTE_TEXT, .role = ATTRIBUTE_ECHO},
    {.name = "specified_outputs_name",
     .kind = ATTRIBUTE_TEXT,
     .role = ATTRIBUTE_OUTPUT_NAME},
    {0},
};

static const struct attribute backward_attributes[] = {
    TIME_MAJOR_AXES,
    COEFFICIENT,
    {.name = "backward_context",
     .kind = ATTRIBUTE_TEXT,
     .role = ATTRIBUTE_CONTEXT},
    {0},
};

const struct op op_graiphic_reverse_sequence = {
    .name = "graiphic.ReverseSequence",
    .version = "1",
    .summary = "Reverses sequences as the ONNX operator does; in training it "
               "answers with the context of its backward pass",
    .data = "input",
    .control = "sequence_lens",
    .takes = "INT64 [batch]",
    .output = "Y",
    .attributes = forward_attributes,
    .describe = describe,
};

const struct op op_graiphic_reverse_sequence_grad = {
    .name = "graiphic.ReverseSequenceGrad",
    .version = "1",
    .summary = "The backward pass: lda_coeff times the reversed dY",
    .data = "dY",
    .control = "sequence_lens",
    .takes = "INT64 [batch]",
    .output = "dX",
    .scales = true,
    .attributes = backward_attributes,
    .describe = describe,
};
