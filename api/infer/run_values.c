#include "api/infer/run_values.h"

#include <string.h>

#include "api/infer/region.h"
#include "api/infer/result.h"
#include "kernels/move/copy.h"
#include "kernels/move/scale.h"
#include "kernels/move/swap.h"

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

static void scale(const struct run *run, unsigned char *values, size_t bytes)
{
    const struct infer *infer = run->infer;

    if (infer->coefficient != 1.0)
        scale_run(infer->call.data.dtype, values, bytes, infer->coefficient,
                  run->cancel);
    clear_padding(infer, values, bytes);
}

static bool move_values(const struct run *run, unsigned char *values,
                        size_t bytes)
{
    const struct infer *infer = run->infer;
    const struct element_format format = dtype_format(infer->call.data.dtype);

    if (infer->source.is_text &&
        !tensor_json_to_binary(&infer->source.text, values, run->cancel,
                               run->st))
        return false;
    move_swap(&infer->permutation, format, values, run->cancel);
    scale(run, values, bytes);
    return true;
}

/* The memory in which values are moved in place: the body when they came as
 * bytes; else their target or, when that is text, the scratch behind it. */
static unsigned char *choose_values(const struct run *run, size_t *bytes)
{
    const struct infer *infer = run->infer;
    const struct infer_layout *layout = &infer->layout;
    bool to_text = infer->target.form == INFER_FORM_TEXT;

    if (!infer->source.is_text) {
        *bytes = infer->call.data.bytes;
        return infer->source.bytes;
    }
    *bytes = to_text ? layout->scratch : layout->data;
    if (infer->target.region)
        return infer->target.region;
    return to_text ? run->out + layout->data + INFER_RESULT_TAILROOM : run->out;
}

bool run_values(struct run *run)
{
    const struct infer *infer = run->infer;
    struct tensor moved = infer->call.data;
    unsigned char *values = choose_values(run, &moved.bytes);
    char *end = (char *)run->out;

    if (!move_values(run, values, moved.bytes))
        return false;
    run->data = values;
    run->len = moved.bytes;
    if (infer->target.form != INFER_FORM_TEXT)
        return true;
    moved.data = values;
    if (!tensor_json_print(&moved, infer->source.count, &end, run->cancel,
                           run->st))
        return false;
    run->data = run->out;
    run->len = (size_t)(end - (char *)run->out);
    return true;
}

void run_shared(struct run *run)
{
    const struct infer *infer = run->infer;
    const struct element_format format = dtype_format(infer->call.data.dtype);
    const unsigned char *from = infer->source.bytes;
    unsigned char *region = infer->target.region;
    unsigned char *to = region ? region : run->out;
    bool apart = !region_overlaps(infer);

    run->data = to;
    run->len = infer->call.data.bytes;
    if (to == from)
        move_swap(&infer->permutation, format, to, run->cancel);
    else
        move_copy(&infer->permutation, format, from, apart ? to : run->out,
                  run->cancel);
    if (to != from && !apart)
        memcpy(to, run->out, run->len);
    scale(run, to, run->len);
}
