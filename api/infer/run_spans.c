#include "api/infer/run_spans.h"

#include <string.h>

#include "api/tensor_json/bytes.h"
#include "kernels/move/swap.h"

/* move_swap() moves spans as 64-bit elements. */
_Static_assert(sizeof(struct span) == 8, "a span is one 64-bit element");

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

bool run_spans(struct run *run)
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
