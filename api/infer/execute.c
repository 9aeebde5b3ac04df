#include <string.h>

#include "api/infer/state.h"
#include "api/tensor_json/binary_strings.h"
#include "kernels/core/cancel.h"
#include "kernels/move/move.h"
#include "kernels/move/scale.h"

/* One execution: its memory and its result. */
struct execution {
    struct infer *infer;
    struct span *rows;           /* the buffer's index */
    unsigned char *out;          /* the buffer's data */
    unsigned char *move_scratch; /* the buffer's end */
    const atomic_bool *cancel;
    struct status *st;
    unsigned char *data; /* the result: in `out`, the body or a region */
    size_t len;
};

/* move_swap() moves spans as 64-bit elements. */
_Static_assert(sizeof(struct span) == 8, "a span is one 64-bit element");

/* Text that stays text may be moved within the body; the result then lies
 * there. */
static bool move_text(struct execution *e)
{
    struct infer *infer = e->infer;
    const struct tensor_json_job job = {.array = &infer->source.text,
                                        .permutation = &infer->permutation,
                                        .rows = e->rows,
                                        .scratch = (char *)e->out,
                                        .move_scratch = e->move_scratch,
                                        .in_place = (char *)infer->source.bytes,
                                        .cancel = e->cancel};
    char *out;

    if (!tensor_json_move(&job, &out, &e->len, e->st))
        return false;
    e->data = (unsigned char *)out;
    return true;
}

static bool index_rows(const struct execution *e, uint64_t row)
{
    const struct infer *infer = e->infer;
    const struct binary_strings_rows want = {infer->source.count, row, e->rows};

    if (infer->source.is_text)
        return tensor_json_index(&infer->source.text, row, e->rows, e->cancel,
                                 e->st);
    return binary_strings_index(&infer->call.data, &want, e->cancel, e->st);
}

static size_t emit_rows(const struct execution *e)
{
    const struct infer *infer = e->infer;
    const struct tensor *data = &infer->call.data;
    uint64_t count = infer->permutation.row_count;

    if (infer->source.is_text)
        return tensor_json_strings_to_binary(&infer->source.text, e->rows,
                                             count, e->out, e->cancel);
    if (infer->target.form == DOCUMENT_FORM_JSON)
        return binary_strings_to_text(data, e->rows, count, (char *)e->out,
                                      e->cancel);
    binary_strings_emit(data, e->rows, count, e->out, e->cancel);
    return data->bytes;
}

static bool move_spans(struct execution *e)
{
    struct infer *infer = e->infer;
    struct permutation *p = &infer->permutation;

    if (infer->source.is_text && infer->target.form == DOCUMENT_FORM_JSON)
        return move_text(e);
    if (!index_rows(e, p->row > 0 ? p->row : 1))
        return false;
    p->row = 1; /* a row is now one span */
    move_swap(p, (struct element_format){.bits = 64}, e->rows, e->move_scratch,
              e->cancel);
    e->data = e->out;
    e->len = emit_rows(e);
    return true;
}

/* Bits behind the last packed element are 0 in every result. */
static void clear_padding(const struct infer *infer, unsigned char *values)
{
    const struct tensor *data = &infer->call.data;
    const struct dtype_traits *info = dtype_info(data->dtype);
    unsigned used = (unsigned)(infer->source.count % 8 * info->bits % 8);
    unsigned mask = (1u << used) - 1;

    if (used > 0)
        values[data->bytes - 1] &=
            (unsigned char)(info->high_first ? mask << (8 - used) : mask);
}

/* The memory for the values of the result: the body when they came in it; else
 * their target or, when that is text, the scratch behind it. */
static unsigned char *choose_values(const struct execution *e)
{
    const struct infer *infer = e->infer;
    const struct infer_source *source = &infer->source;
    unsigned char *region = infer->target.region;

    if (source->is_text && infer->target.form == DOCUMENT_FORM_JSON)
        return e->out + infer->layout.data + INFER_RESULT_TAILROOM;
    if (region && !region_overlaps(infer))
        return region;
    return source->is_text || source->is_read_only ? e->out : source->bytes;
}

static bool move_values_to(const struct execution *e, unsigned char *values)
{
    const struct infer *infer = e->infer;
    const struct tensor *data = &infer->call.data;
    const struct element_format format = dtype_format(data->dtype);
    const struct infer_source *source = &infer->source;

    if (source->is_text &&
        !tensor_json_to_binary(&source->text, values, e->cancel, e->st))
        return false;
    if (source->is_text || source->bytes == values)
        move_swap(&infer->permutation, format, values, e->move_scratch,
                  e->cancel);
    else
        move_copy(&infer->permutation, format, source->bytes, values,
                  e->move_scratch, e->cancel);
    if (infer->coefficient != 1.0)
        scale_run(data->dtype, values, data->bytes, infer->coefficient,
                  e->cancel);
    clear_padding(infer, values);
    return true;
}

static bool move_values(struct execution *e)
{
    const struct infer *infer = e->infer;
    struct tensor moved = infer->call.data;
    unsigned char *values = choose_values(e);
    char *end = (char *)e->out;

    if (!move_values_to(e, values))
        return false;
    e->data = values;
    e->len = moved.bytes;
    if (infer->target.form != DOCUMENT_FORM_JSON)
        return true;
    moved.data = values;
    if (!tensor_json_print(&moved, infer->source.count, &end, e->cancel, e->st))
        return false;
    e->data = e->out;
    e->len = (size_t)(end - (char *)e->out);
    return true;
}

/* Copies a result that was made in the buffer to its shared memory. */
static bool copy_to_region(const struct execution *e)
{
    const struct infer_target *target = &e->infer->target;

    if (!target->region || target->region == e->data)
        return true;
    if (!region_holds(target, e->len, e->st))
        return false;
    memcpy(target->region, e->data, e->len);
    return true;
}

/* Everything in the body before the data has been read by now; the document
 * does not point into it. */
static size_t headroom_of(const struct execution *e)
{
    if (e->data == e->out)
        return e->infer->layout.headroom;
    return (size_t)(e->data - e->infer->request.body);
}

bool infer_execute(struct infer *infer, unsigned char *buffer,
                   const atomic_bool *cancel, struct infer_result *result,
                   struct status *st)
{
    const struct infer_layout *layout = &infer->layout;
    unsigned char *head = buffer + layout->index;
    struct execution e = {
        .infer = infer,
        .rows = (struct span *)(void *)buffer,
        .out = head + layout->headroom,
        .cancel = cancel,
        .st = st,
    };

    e.move_scratch =
        e.out + layout->data + INFER_RESULT_TAILROOM + layout->scratch;
    if (!(infer_moves_spans(infer) ? move_spans(&e) : move_values(&e)) ||
        !copy_to_region(&e))
        return false;
    /* The one test for all movers above: see core/cancel.h. */
    if (cancel_requested(cancel))
        return status_fail(st, STATUS_CANCELLED, "the request was cancelled");
    infer_describe(infer, result);
    result->head = (char *)head;
    if (infer->target.form == DOCUMENT_FORM_REGION)
        return true;
    result->tensor.data = e.data;
    result->tensor.len = e.len;
    result->tensor.headroom = headroom_of(&e);
    return true;
}
