/* The parts of the buffer, and the move of the data in it. */
#include <string.h>

#include "api/infer/infer.h"
#include "kernels/core/cancel.h"
#include "kernels/core/size.h"
#include "kernels/move/move.h"

/* True if the data moves as spans of text or bytes, not as values. */
static bool moves_spans(const struct infer *infer)
{
    bool verbatim = infer->source.is_text &&
                    infer->target.form == DOCUMENT_FORM_JSON &&
                    infer->coefficient == 1.0;

    return verbatim || infer->call.data.dtype == DTYPE_BYTES;
}

static bool decide_spans(struct infer *infer, struct status *st)
{
    const struct infer_source *source = &infer->source;
    const struct tensor *data = &infer->call.data;
    struct infer_layout *layout = &infer->layout;
    bool to_text = infer->target.form == DOCUMENT_FORM_JSON;
    uint64_t rows = infer->permutation.row_count;

    if (source->is_text && to_text)
        rows = tensor_json_move_capacity(&source->text, &infer->permutation);
    layout->index = size_multiply(rows, sizeof(struct span));
    if (source->is_text) {
        layout->data = to_text ? source->text.len
                               : tensor_json_strings_bound(&source->text);
        return true;
    }
    layout->data = data->bytes;
    if (!binary_strings_index(data, source->count, 1, NULL, NULL, st))
        return false;
    return !to_text || binary_strings_text_length(data, source->count,
                                                  &layout->data, NULL, st);
}

/* A byte other than 0 and 1 has no JSON form. It is found before anything
 * moves, so that the error names its index in the input. */
static bool check_bools(const struct infer *infer, struct status *st)
{
    const unsigned char *bytes = infer->source.bytes;

    for (size_t i = 0; i < infer->call.data.bytes; i++)
        if (bytes[i] > 1)
            return status_fail(st, STATUS_INVALID,
                               "data[%zu] of '%s' is %d, but a BOOL is 0 or 1",
                               i, infer->call.data.name, bytes[i]);
    return true;
}

/* True if source and target are different parts of shared memory that have
 * bytes in common, or may have them. */
static bool regions_overlap(const struct infer *infer)
{
    const unsigned char *from = infer->source.bytes;
    const unsigned char *to = infer->target.region;
    size_t len = infer->call.data.bytes;

    return infer->source.is_read_only && to && to != from &&
           (infer->target.is_aliased || (to < from + len && from < to + len));
}

static bool decide_values(struct infer *infer, struct status *st)
{
    const struct infer_source *source = &infer->source;
    struct tensor *data = &infer->call.data;
    struct infer_layout *layout = &infer->layout;
    bool to_text = infer->target.form == DOCUMENT_FORM_JSON;

    if (to_text &&
        (!tensor_json_supports(data->dtype, source->count, data->name, st) ||
         (data->dtype == DTYPE_BOOL && !source->is_text &&
          !check_bools(infer, st))))
        return false;
    if (source->is_text &&
        !tensor_bytes(data->dtype, source->count, data->name, &data->bytes, st))
        return false;
    if (to_text) {
        layout->data = tensor_json_print_bound(data->dtype, source->count);
        layout->scratch = source->is_text ? data->bytes : 0;
        return true;
    }
    /* Shared data is copied to the buffer; where source and target overlap,
     * the buffer holds it in between. */
    if (source->is_text || (source->is_read_only &&
                            (!infer->target.region || regions_overlap(infer))))
        layout->data = data->bytes;
    return true;
}

/* Nanoseconds, of what was measured on one core: text is validated and moved at
 * 1 byte each, values at 4, and a number is printed or parsed in 12. */
static uint64_t cost_ns(const struct infer *infer)
{
    const struct infer_source *source = &infer->source;
    uint64_t ns =
        source->is_text ? source->text.len : infer->call.data.bytes / 4;

    if (moves_spans(infer))
        return ns + infer->layout.index;
    if (source->is_text)
        ns += 12 * source->count;
    if (infer->target.form == DOCUMENT_FORM_JSON)
        ns += 12 * source->count;
    return ns;
}

static size_t length(const char *text)
{
    return text ? strlen(text) : 0;
}

/* Heap memory of the request itself, until infer_free(). */
static size_t heap_bytes(const struct infer *infer)
{
    const struct permutation *p = &infer->permutation;
    size_t lens = 0;

    if (p->lens)
        lens = (size_t)p->axes[p->batch_axis].extent * sizeof(*p->lens);
    return (infer->source.copy ? infer->call.data.bytes : 0) + sizeof(*infer) +
           infer->doc.tree.bytes + lens + length(infer->backward_context);
}

/* Spans move as rows of one 64-bit element. */
static size_t move_scratch_bytes(const struct infer *infer)
{
    struct permutation spans;

    if (!moves_spans(infer))
        return move_scratch(&infer->permutation,
                            dtype_format(infer->call.data.dtype));
    permutation_of_spans(&infer->permutation, &spans);
    return move_scratch(&spans, (struct element_format){.bits = 64});
}

/* The most bytes that an encoder writes in front of the data, which takes less
 * time than to write them twice: 300 for keys and lengths, 22 for a dim, and 6
 * for a character that JSON escapes. */
static size_t head_bound(const struct infer *infer)
{
    return 300 + strlen(infer->model->name) + strlen(infer->model->version) +
           length(infer->backward_context) +
           6 * (infer->doc.id_len + length(infer_echo(infer)) +
                strlen(infer->target.name)) +
           22 * (size_t)infer->call.data.shape.rank;
}

bool infer_plan(struct infer *infer, struct api_plan *plan, struct status *st)
{
    struct infer_layout *layout = &infer->layout;
    size_t ends;

    if (!(moves_spans(infer) ? decide_spans(infer, st)
                             : decide_values(infer, st)))
        return false;
    layout->headroom = head_bound(infer);
    layout->move_scratch = move_scratch_bytes(infer);
    ends = size_add(layout->index,
                    size_add(layout->headroom, INFER_RESULT_TAILROOM));
    plan->memory = size_add(size_add(ends, layout->move_scratch),
                            size_add(layout->data, layout->scratch));
    plan->heap_bytes = heap_bytes(infer);
    plan->scratch_bytes = layout->move_scratch;
    plan->timeout_us = infer->settings.timeout_us;
    plan->cost_ns = cost_ns(infer);
    return true;
}

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
    uint64_t row = p->row > 0 ? p->row : 1;
    bool is_text = infer->source.is_text;

    if (is_text && infer->target.form == DOCUMENT_FORM_JSON)
        return move_text(e);
    if (!(is_text ? tensor_json_index(&infer->source.text, row, e->rows,
                                      e->cancel, e->st)
                  : binary_strings_index(&infer->call.data, infer->source.count,
                                         row, e->rows, e->cancel, e->st)))
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
    if (region && !regions_overlap(infer))
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
    struct infer *infer = e->infer;
    struct tensor *moved = &infer->call.data;
    char *end = (char *)e->out;

    e->data = choose_values(e);
    e->len = moved->bytes;
    if (!move_values_to(e, e->data))
        return false;
    if (infer->target.form != DOCUMENT_FORM_JSON)
        return true;
    moved->data = e->data;
    if (!tensor_json_print(moved, infer->source.count, &end, e->cancel, e->st))
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
    if (!infer_region_holds(target, e->len, e->st))
        return false;
    memcpy(target->region, e->data, e->len);
    return true;
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
    if (!(moves_spans(infer) ? move_spans(&e) : move_values(&e)) ||
        !copy_to_region(&e))
        return false;
    /* The one test for all movers above: see core/cancel.h. */
    if (cancel_requested(cancel))
        return status_fail(st, STATUS_CANCELLED, "the request was cancelled");
    *result = (struct infer_result){
        .infer = infer, .head = (char *)head, .head_size = layout->headroom};
    if (infer->target.form == DOCUMENT_FORM_REGION)
        return true;
    result->data = e.data;
    result->len = e.len;
    /* Everything in the body before the data has been read by now; the document
     * does not point into it. */
    result->headroom = e.data == e.out
                           ? layout->headroom
                           : (size_t)(e.data - infer->request->body);
    return true;
}
