/* Where a request's tensors are: bytes behind the document, or text in it. */
#include <stdlib.h>
#include <string.h>

#include "api/infer/infer.h"
#include "api/routes/models.h"

static bool check_bytes(const struct document_input *input, struct status *st)
{
    size_t bytes;

    if (input->dtype == DTYPE_BYTES)
        return true;
    if (!tensor_bytes(input->dtype, input->count, input->name, &bytes, st))
        return false;
    if (bytes != input->binary_bytes) {
        char shape[128];

        return status_fail(
            st, STATUS_INVALID,
            "'%s' declares %llu bytes, but %s of shape %s takes %zu",
            input->name, (unsigned long long)input->binary_bytes,
            dtype_info(input->dtype)->name,
            shape_print(&input->shape, shape, sizeof(shape)), bytes);
    }
    return true;
}

/* Gives each binary input its span of the body, in the inputs' order, or its
 * place in shared memory. */
static bool place_binary(const struct document *doc,
                         const struct api_request *request, size_t json_len,
                         unsigned char **places, struct status *st)
{
    uint64_t left = request->body_len - json_len;
    unsigned char *at = request->body + json_len;

    for (int i = 0; i < doc->input_count; i++) {
        const struct document_input *input = &doc->inputs[i];

        if (input->form == DOCUMENT_FORM_REGION &&
            !infer_find_region(request, &input->region, input->name, &places[i],
                               st))
            return false;
        if (input->form == DOCUMENT_FORM_JSON)
            continue;
        if (!check_bytes(input, st))
            return false;
        if (input->form == DOCUMENT_FORM_REGION)
            continue;
        if (input->binary_bytes > left)
            return status_fail(
                st, STATUS_INVALID,
                "inputs[%d] ('%.64s') declares %llu bytes, but %llu are left "
                "of the %zu behind the document",
                i, input->name, (unsigned long long)input->binary_bytes,
                (unsigned long long)left, request->body_len - json_len);
        places[i] = at;
        at += input->binary_bytes;
        left -= input->binary_bytes;
    }
    if (left > 0)
        return status_fail(
            st, STATUS_INVALID,
            "%zu bytes follow the document, but the inputs "
            "declare %llu",
            request->body_len - json_len,
            (unsigned long long)(request->body_len - json_len - left));
    return true;
}

static bool check_name(const struct infer *infer, int at, struct status *st)
{
    const struct document *doc = infer->doc;
    const char *name = doc->inputs[at].name;
    const struct op *op = infer->op;

    if (strcmp(name, op->data) != 0 && strcmp(name, op->control) != 0)
        return status_fail(st, STATUS_INVALID,
                           "inputs[%d] is '%.64s', but %s takes '%s' and '%s'",
                           at, name, op->name, op->data, op->control);
    for (int i = 0; i < at; i++)
        if (strcmp(name, doc->inputs[i].name) == 0)
            return status_fail(st, STATUS_INVALID,
                               "inputs[%d] repeats '%s' of inputs[%d]", at,
                               name, i);
    return true;
}

static int find(const struct document *doc, const char *name)
{
    for (int i = 0; i < doc->input_count; i++)
        if (strcmp(doc->inputs[i].name, name) == 0)
            return i;
    return -1;
}

/* Member by member, as below: shapes are large, and copied once only. */
static void describe(const struct document_input *input,
                     const unsigned char *place, struct tensor *tensor)
{
    tensor->name = input->name;
    tensor->dtype = input->dtype;
    tensor->shape = input->shape;
    tensor->data = place;
    tensor->bytes = (size_t)input->binary_bytes;
}

static void place_text(const struct infer *infer,
                       const struct document_input *input,
                       struct data_array *text)
{
    const struct data_span *span = &infer->instance.spans[input->span];

    text->name = input->name;
    text->text = infer->instance.text + span->start;
    text->len = span->len;
    text->origin = span->start;
    text->dtype = input->dtype;
    text->shape = input->shape;
    text->count = input->count;
    text->validated = 0;
    text->lengths = (struct token_lengths){.count = 0};
    if (infer->validated.start == span->start &&
        infer->early_dtype == text->dtype) {
        text->validated = infer->validated.validated_end - span->start;
        text->lengths = infer->early_lengths;
    }
}

/* A text shorter than its number of elements cannot hold them. Nothing is
 * allocated for such a claim; the text is read for the count to be named. */
static bool text_may_hold(const struct data_array *text, struct status *st)
{
    if (text->count <= text->len)
        return true;
    return tensor_json_index(text, 1, NULL, NULL, st) &&
           status_fail(st, STATUS_INTERNAL, "%s: %zu bytes hold %llu elements",
                       text->name, text->len, (unsigned long long)text->count);
}

static bool take_data(struct infer *infer, const struct api_request *request,
                      const struct document_input *input, unsigned char *place,
                      struct status *st)
{
    describe(input, place, &infer->call.data);
    if (!models_take(infer->model, &infer->call.data, st))
        return false;
    infer->count = input->count;
    infer->from_text = input->form == DOCUMENT_FORM_JSON;
    if (infer->from_text) {
        place_text(infer, input, &infer->text);
        place = request->body + infer->text.origin;
    }
    infer->bytes = place;
    infer->borrowed = input->form == DOCUMENT_FORM_REGION;
    infer->front = infer->borrowed ? 0 : (size_t)(place - request->body);
    return !infer->from_text ||
           (tensor_json_supports(input->dtype, input->name, st) &&
            text_may_hold(&infer->text, st));
}

/* Lengths and axes are needed as values. What has no binary form of its own
 * stays undone: the operator refuses such a datatype by its name. */
static bool convert_control(struct infer *infer, const struct data_array *text,
                            struct status *st)
{
    struct tensor *control = &infer->call.control;

    if (text->dtype == DTYPE_BYTES ||
        dtype_info(text->dtype)->kind == DTYPE_KIND_OPAQUE)
        return true;
    if (!text_may_hold(text, st) ||
        !tensor_bytes(text->dtype, text->count, text->name, &control->bytes,
                      st))
        return false;
    infer->control = malloc(control->bytes + 1);
    if (!infer->control)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    control->data = infer->control;
    return tensor_json_to_binary(text, infer->control, NULL, st);
}

/* Lengths that are checked and then used must not change in between. */
static bool copy_control(struct infer *infer, struct status *st)
{
    struct tensor *control = &infer->call.control;

    infer->control = infer_copy_tensor(control, "lengths or axes", st);
    control->data = infer->control;
    return infer->control != NULL;
}

static bool take_control(struct infer *infer,
                         const struct document_input *input,
                         unsigned char *place, struct status *st)
{
    struct data_array text;

    describe(input, place, &infer->call.control);
    if (input->form == DOCUMENT_FORM_REGION)
        return copy_control(infer, st);
    if (input->form == DOCUMENT_FORM_BINARY)
        return true;
    place_text(infer, input, &text);
    return convert_control(infer, &text, st);
}

static bool require(const struct infer *infer, int data, int control,
                    struct status *st)
{
    const struct attribute_value *context =
        settings_role(infer->op, &infer->settings, ATTRIBUTE_CONTEXT);
    const struct op *op = infer->op;

    if (data >= 0 && (control >= 0 || (context && context->given)))
        return true;
    return status_fail(
        st, STATUS_INVALID, "input '%s' is missing: %s takes '%s' and '%s'%s",
        data < 0 ? op->data : op->control, op->name, op->data, op->control,
        context ? " (or the parameter backward_context)" : "");
}

bool infer_tensors(struct infer *infer, const struct api_request *request,
                   size_t json_len, struct status *st)
{
    const struct document *doc = infer->doc;
    unsigned char *places[DOCUMENT_MAX_INPUTS] = {0};
    int data = find(doc, infer->op->data);
    int other = find(doc, infer->op->control);

    for (int i = 0; i < doc->input_count; i++)
        if (!check_name(infer, i, st))
            return false;
    if (!require(infer, data, other, st) ||
        !place_binary(doc, request, json_len, places, st) ||
        !take_data(infer, request, &doc->inputs[data], places[data], st))
        return false;
    return other < 0 ||
           take_control(infer, &doc->inputs[other], places[other], st);
}
