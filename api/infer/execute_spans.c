#include "api/infer/execute_spans.h"

#include <string.h>

#include "api/tensor_json/bytes.h"
#include "kernels/move/move.h"

/* move_swap() moves spans as 64-bit elements. */
_Static_assert(sizeof(struct span) == 8, "a span is one 64-bit element");

static bool move_spans(struct execution *execution)
{
    struct infer *infer = execution->infer;
    const struct infer_source *source = &infer->source;
    uint64_t row = infer->permutation.row > 0 ? infer->permutation.row : 1;
    const struct bytes_rows want = {source->count, row, execution->rows};

    if (source->is_text
            ? !tensor_json_index(&source->text, row, execution->rows,
                                 execution->cancel, execution->st)
            : !bytes_index(&infer->call.data, &want, execution->cancel,
                           execution->st))
        return false;
    /* A row is now one span. */
    infer->permutation.row = 1;
    move_swap(&infer->permutation, (struct element_format){.bits = 64},
              execution->rows, execution->cancel);
    return true;
}

static size_t emit_spans(const struct execution *execution)
{
    const struct infer *infer = execution->infer;
    const struct tensor *data = &infer->call.data;
    uint64_t count = infer->permutation.row_count;

    if (infer->source.is_text)
        return tensor_json_strings_to_binary(&infer->source.text,
                                             execution->rows, count,
                                             execution->out, execution->cancel);
    if (infer->target.form == INFER_FORM_TEXT)
        return bytes_to_text(data, execution->rows, count,
                             (char *)execution->out, execution->cancel);
    bytes_emit(data, execution->rows, count, execution->out, execution->cancel);
    return data->bytes;
}

/* The text may be moved within the body; the result then lies there. */
static bool move_text(struct execution *execution)
{
    struct infer *infer = execution->infer;
    const struct tensor_json_job job = {.array = &infer->source.text,
                                        .permutation = &infer->permutation,
                                        .rows = execution->rows,
                                        .scratch = (char *)execution->out,
                                        .in_place = (char *)infer->source.bytes,
                                        .cancel = execution->cancel};
    char *out;

    if (!tensor_json_move(&job, &out, &execution->len, execution->st))
        return false;
    execution->data = (unsigned char *)out;
    return true;
}

/* BYTES that were made in the buffer are copied to their shared memory. */
static bool copy_to_region(const struct execution *execution)
{
    const struct infer_target *target = &execution->infer->target;

    if (execution->len > target->region_size)
        return status_fail(execution->st, STATUS_INVALID,
                           "'%.64s' takes %zu bytes, but "
                           "shared_memory_byte_size is %zu",
                           target->name, execution->len, target->region_size);
    memcpy(target->region, execution->data, execution->len);
    return true;
}

bool execute_spans(struct execution *execution)
{
    const struct infer *infer = execution->infer;

    execution->data = execution->out;
    if (infer->source.is_text && infer->target.form == INFER_FORM_TEXT)
        return move_text(execution);
    if (!move_spans(execution))
        return false;
    execution->len = emit_spans(execution);
    return !infer->target.region || copy_to_region(execution);
}
