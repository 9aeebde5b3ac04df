#include <string.h>

#include "api/infer/state.h"
#include "api/tensor_json/binary_strings.h"
#include "kernels/move/move.h"

static size_t add(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static bool decide_spans(struct infer *infer, struct status *st)
{
    const struct infer_source *source = &infer->source;
    const struct tensor *data = &infer->call.data;
    struct infer_layout *layout = &infer->layout;
    bool to_text = infer->target.form == DOCUMENT_FORM_JSON;
    uint64_t rows = infer->permutation.row_count;
    const struct binary_strings_rows check = {source->count, 1, NULL};

    if (source->is_text && to_text)
        rows = tensor_json_move_capacity(&source->text, &infer->permutation);
    layout->index = rows > SIZE_MAX / 8 ? SIZE_MAX : (size_t)rows * 8;
    if (source->is_text) {
        layout->data = to_text ? source->text.len
                               : tensor_json_strings_bound(&source->text);
        return true;
    }
    layout->data = data->bytes;
    if (!binary_strings_index(data, &check, NULL, st))
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

static bool check_text_form(const struct infer *infer, struct status *st)
{
    enum dtype dtype = infer->call.data.dtype;

    return tensor_json_supports(dtype, infer->source.count,
                                infer->call.data.name, st) &&
           (dtype != DTYPE_BOOL || infer->source.is_text ||
            check_bools(infer, st));
}

static bool decide_values(struct infer *infer, struct status *st)
{
    const struct infer_source *source = &infer->source;
    struct tensor *data = &infer->call.data;
    struct infer_layout *layout = &infer->layout;
    bool to_text = infer->target.form == DOCUMENT_FORM_JSON;

    if (to_text && !check_text_form(infer, st))
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
                            (!infer->target.region || region_overlaps(infer))))
        layout->data = data->bytes;
    return true;
}

bool layout_decide(struct infer *infer, struct status *st)
{
    if (infer_moves_spans(infer))
        return decide_spans(infer, st);
    return decide_values(infer, st);
}

/* Nanoseconds, of what was measured on one core: text is validated and moved at
 * 1 byte each, values at 4, and a number is printed or parsed in 12. */
static uint64_t cost_ns(const struct infer *infer)
{
    const struct infer_source *source = &infer->source;
    uint64_t ns =
        source->is_text ? source->text.len : infer->call.data.bytes / 4;

    if (infer_moves_spans(infer))
        return ns + infer->layout.index;
    if (source->is_text)
        ns += 12 * source->count;
    if (infer->target.form == DOCUMENT_FORM_JSON)
        ns += 12 * source->count;
    return ns;
}

/* Heap memory of the request itself, until infer_free(). */
static size_t heap_bytes(const struct infer *infer)
{
    const struct permutation *p = &infer->permutation;
    const struct document *doc = infer->request.doc;
    size_t lens = 0;

    if (p->lens)
        lens = (size_t)p->axes[p->batch_axis].extent * sizeof(*p->lens);
    return (infer->source.copy ? infer->call.data.bytes : 0) + sizeof(*infer) +
           doc->bytes + lens +
           (infer->backward_context ? strlen(infer->backward_context) : 0);
}

/* Spans move as rows of one 64-bit element. */
static size_t move_scratch_bytes(const struct infer *infer)
{
    struct permutation spans = infer->permutation;

    if (!infer_moves_spans(infer))
        return move_scratch(&infer->permutation,
                            dtype_format(infer->call.data.dtype));
    spans.row = 1;
    return move_scratch(&spans, (struct element_format){.bits = 64});
}

void infer_plan(struct infer *infer, size_t headroom, struct api_plan *plan)
{
    struct infer_layout *layout = &infer->layout;
    size_t ends = add(layout->index, add(headroom, INFER_RESULT_TAILROOM));

    layout->headroom = headroom;
    layout->move_scratch = move_scratch_bytes(infer);
    plan->memory = add(add(ends, layout->move_scratch),
                       add(layout->data, layout->scratch));
    plan->heap_bytes = heap_bytes(infer);
    plan->scratch_bytes = layout->move_scratch;
    plan->timeout_us = infer->settings.timeout_us;
    plan->cost_ns = cost_ns(infer);
}
