#include "api/infer/execute_values.h"

#include <string.h>

#include "api/infer/region.h"
#include "api/infer/result.h"
#include "kernels/move/move.h"
#include "kernels/move/scale.h"

/* Bits behind the last packed element are 0 in every answer. */
static void clear_padding(const struct infer *infer, unsigned char *values,
                          size_t bytes)
{
    const struct dtype_traits *info = dtype_info(infer->call.data.dtype);
    unsigned used = (unsigned)(infer->source.count % 8 * info->bits % 8);
    unsigned mask = (1u << used) - 1;

    if (used > 0)
        values[bytes - 1] &=
            (unsigned char)(info->high_first ? mask << (8 - used) : mask);
}

static void scale(const struct execution *execution, unsigned char *values,
                  size_t bytes)
{
    const struct infer *infer = execution->infer;

    if (infer->coefficient != 1.0)
        scale_run(infer->call.data.dtype, values, bytes, infer->coefficient,
                  execution->cancel);
    clear_padding(infer, values, bytes);
}

static bool move_values(const struct execution *execution,
                        unsigned char *values, size_t bytes)
{
    const struct infer *infer = execution->infer;
    const struct element_format format = dtype_format(infer->call.data.dtype);

    if (infer->source.is_text &&
        !tensor_json_to_binary(&infer->source.text, values, execution->cancel,
                               execution->st))
        return false;
    move_swap(&infer->permutation, format, values, execution->cancel);
    scale(execution, values, bytes);
    return true;
}

/* The memory in which values are moved in place: the body when they came as
 * bytes; else their target or, when that is text, the scratch behind it. */
static unsigned char *choose_values(const struct execution *execution,
                                    size_t *bytes)
{
    const struct infer *infer = execution->infer;
    const struct infer_layout *layout = &infer->layout;
    bool to_text = infer->target.form == INFER_FORM_TEXT;

    if (!infer->source.is_text) {
        *bytes = infer->call.data.bytes;
        return infer->source.bytes;
    }
    *bytes = to_text ? layout->scratch : layout->data;
    if (infer->target.region)
        return infer->target.region;
    return to_text ? execution->out + layout->data + INFER_RESULT_TAILROOM
                   : execution->out;
}

bool execute_values(struct execution *execution)
{
    const struct infer *infer = execution->infer;
    struct tensor moved = infer->call.data;
    unsigned char *values = choose_values(execution, &moved.bytes);
    char *end = (char *)execution->out;

    if (!move_values(execution, values, moved.bytes))
        return false;
    execution->data = values;
    execution->len = moved.bytes;
    if (infer->target.form != INFER_FORM_TEXT)
        return true;
    moved.data = values;
    if (!tensor_json_print(&moved, infer->source.count, &end, execution->cancel,
                           execution->st))
        return false;
    execution->data = execution->out;
    execution->len = (size_t)(end - (char *)execution->out);
    return true;
}

void execute_shared(struct execution *execution)
{
    const struct infer *infer = execution->infer;
    const struct element_format format = dtype_format(infer->call.data.dtype);
    const unsigned char *from = infer->source.bytes;
    unsigned char *region = infer->target.region;
    unsigned char *to = region ? region : execution->out;
    bool apart = !region_overlaps(infer);

    execution->data = to;
    execution->len = infer->call.data.bytes;
    if (to == from)
        move_swap(&infer->permutation, format, to, execution->cancel);
    else
        move_copy(&infer->permutation, format, from,
                  apart ? to : execution->out, execution->cancel);
    if (to != from && !apart)
        memcpy(to, execution->out, execution->len);
    scale(execution, to, execution->len);
}
