#include <string.h>

#include "api/infer/infer.h"
#include "api/infer/region.h"
#include "api/infer/state.h"
#include "api/tensor_json/bytes.h"
#include "kernels/core/cancel.h"
#include "kernels/move/copy.h"
#include "kernels/move/scale.h"
#include "kernels/move/swap.h"

/* move_swap() moves spans as 64-bit elements. */
_Static_assert(sizeof(struct span) == 8, "a span is one 64-bit element");

/* One execution. */
struct run {
    struct infer *infer;
    struct span *rows;  /* the buffer's index */
    unsigned char *out; /* the buffer's data */
    const atomic_bool *cancel;
    struct status *st;
    unsigned char *data; /* the result: in `out`, the body or a region */
    size_t len;
};

static bool move_spans(struct run *run)
{
    struct infer *infer = run->infer;
    const struct infer_source *source = &infer->source;
    uint64_t row = infer->permutation.row > 0 ? infer->permutation.row : 1;
    const struct bytes_rows want = {source->count, row, run->rows};

    if (source->is_text
            ? !tensor_json_index(&source->text, row, run->rows, run->cancel,
                                 run->st)
            : !bytes_index(&infer->call.data, &want, run->cancel, run->st))
        return false;
    /* A row is now one span. */
    infer->permutation.row = 1;
    move_swap(&infer->permutation, (struct element_format){.bits = 64},
              run->rows, run->cancel);
    return true;
}

static size_t emit_spans(const struct run *run)
{
    const struct infer *infer = run->infer;
    const struct tensor *data = &infer->call.data;
    uint64_t count = infer->permutation.row_count;

    if (infer->source.is_text)
        return tensor_json_strings_to_binary(&infer->source.text, run->rows,
                                             count, run->out, run->cancel);
    if (infer->target.form == INFER_FORM_TEXT)
        return bytes_to_text(data, run->rows, count, (char *)run->out,
                             run->cancel);
    bytes_emit(data, run->rows, count, run->out, run->cancel);
    return data->bytes;
}

/* The text may be moved within the body; the result then lies there. */
static bool move_text(struct run *run)
{
    struct infer *infer = run->infer;
    const struct tensor_json_job job = {.array = &infer->source.text,
                                        .permutation = &infer->permutation,
                                        .rows = run->rows,
                                        .scratch = (char *)run->out,
                                        .in_place = (char *)infer->source.bytes,
                                        .cancel = run->cancel};
    char *out;

    if (!tensor_json_move(&job, &out, &run->len, run->st))
        return false;
    run->data = (unsigned char *)out;
    return true;
}

/* BYTES that were made in the buffer are copied to their shared memory. */
static bool copy_to_region(const struct run *run)
{
    const struct infer_target *target = &run->infer->target;

    if (run->len > target->region_size)
        return status_fail(run->st, STATUS_INVALID,
                           "'%.64s' takes %zu bytes, but "
                           "shared_memory_byte_size is %zu",
                           target->name, run->len, target->region_size);
    memcpy(target->region, run->data, run->len);
    return true;
}

static bool run_spans(struct run *run)
{
    const struct infer *infer = run->infer;

    run->data = run->out;
    if (infer->source.is_text && infer->target.form == INFER_FORM_TEXT)
        return move_text(run);
    if (!move_spans(run))
        return false;
    run->len = emit_spans(run);
    return !infer->target.region || copy_to_region(run);
}

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

static bool run_values(struct run *run)
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

/* Out of shared memory, into it, or within it. */
static void run_shared(struct run *run)
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

static bool run_all(struct run *run)
{
    const struct infer *infer = run->infer;
    bool shared = infer->source.is_shared || infer->target.region;

    if (infer_moves_spans(infer))
        return run_spans(run);
    if (infer->source.is_text || !shared)
        return run_values(run);
    run_shared(run);
    return true;
}

/* Everything in the body before the data has been read by now; the document
 * does not point into it. */
static size_t headroom_of(const struct run *run,
                          const struct infer_buffer *buffer)
{
    const struct infer_request *request = &run->infer->request;

    if (run->data == run->out)
        return buffer->headroom;
    return (size_t)(run->data - request->body);
}

char *infer_head(const struct infer *infer, const struct infer_buffer *buffer)
{
    return (char *)buffer->memory + infer->layout.index;
}

bool infer_execute(struct infer *infer, const struct infer_buffer *buffer,
                   const atomic_bool *cancel, struct infer_result *result,
                   struct status *st)
{
    struct run run = {
        .infer = infer,
        .rows = (struct span *)(void *)buffer->memory,
        .out = buffer->memory + infer->layout.index + buffer->headroom,
        .cancel = cancel,
        .st = st,
    };

    if (!run_all(&run))
        return false;
    /* The one test for all movers above: see core/cancel.h. */
    if (cancel_requested(cancel))
        return status_fail(st, STATUS_CANCELLED, "the request was cancelled");
    infer_describe(infer, result);
    if (infer->target.form == INFER_FORM_REGION)
        return true;
    result->tensor.data = run.data;
    result->tensor.len = run.len;
    result->tensor.headroom = headroom_of(&run, buffer);
    return true;
}
