#include <stdlib.h>
#include <string.h>

#include "api/document/misplaced.h"
#include "api/infer/state.h"

static bool check_name(const struct infer *infer, int at, struct status *st)
{
    const struct document *doc = infer->request.doc;
    const char *name = doc->inputs[at].name;
    const struct op *op = infer->model->op;

    if (strcmp(name, op->data) != 0 && strcmp(name, op->control) != 0)
        return misplaced_pass(name, MISPLACED_MEMBER, "inputs", st) &&
               status_fail(st, STATUS_INVALID,
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

/* Member by member, as in describe_text(): a shape is large and copied
 * once. */
static void describe(const struct document_input *input,
                     const unsigned char *bytes, struct tensor *tensor)
{
    tensor->name = input->name;
    tensor->dtype = input->dtype;
    tensor->shape = input->shape;
    tensor->data = bytes;
    tensor->bytes = (size_t)input->binary_bytes;
}

static void describe_text(const struct infer_request *request,
                          const struct document_input *input,
                          struct data_array *text)
{
    const struct data_span *span = &input->data;
    const struct infer_validated *validated = &request->validated;

    text->name = input->name;
    text->text = request->doc->text + span->start;
    text->len = span->len;
    text->origin = span->start;
    text->dtype = input->dtype;
    text->shape = input->shape;
    text->count = input->count;
    text->commas = NULL;
    if (validated->part.start == span->start && validated->dtype == text->dtype)
        text->commas = validated->commas;
}

static bool check_count(const struct data_array *text, struct status *st)
{
    if (text->count <= text->len)
        return true;
    return tensor_json_index(text, 1, NULL, NULL, st) &&
           status_fail(st, STATUS_INTERNAL, "%s: %zu bytes hold %llu elements",
                       text->name, text->len, (unsigned long long)text->count);
}

/* Lengths and axes are needed as values. A datatype without binary values is
 * left as it is: the operator refuses it by its name. */
static bool convert_control(struct infer *infer, const struct data_array *text,
                            struct status *st)
{
    struct tensor *control = &infer->call.control;

    if (text->dtype == DTYPE_BYTES ||
        dtype_info(text->dtype)->kind == DTYPE_KIND_OPAQUE)
        return true;
    if (!check_count(text, st) ||
        !tensor_bytes(text->dtype, text->count, text->name, &control->bytes,
                      st))
        return false;
    if (api_heap_take(infer->request.heap, control->bytes))
        infer->control = malloc(control->bytes + 1);
    if (!infer->control)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    control->data = infer->control;
    return tensor_json_to_binary(text, infer->control, NULL, st);
}

/* Lengths must not change between their check and their use. */
static bool copy_control(struct infer *infer, struct status *st)
{
    struct tensor *control = &infer->call.control;

    infer->control = region_copy(infer, control, "lengths or axes", st);
    control->data = infer->control;
    return infer->control != NULL;
}

/* NumPy's codec writes every 1-D array as [N, 1]. */
static void drop_codec_axis(const struct document_input *input,
                            struct shape *shape)
{
    if (input->is_numpy && shape->rank == 2 && shape->dims[1] == 1)
        shape->rank = 1;
}

static bool locate_control(struct infer *infer,
                           const struct document_input *input,
                           unsigned char *bytes, struct status *st)
{
    struct data_array text;

    describe(input, bytes, &infer->call.control);
    drop_codec_axis(input, &infer->call.control.shape);
    if (input->form == DOCUMENT_FORM_REGION)
        return copy_control(infer, st);
    if (input->form == DOCUMENT_FORM_BINARY)
        return true;
    describe_text(&infer->request, input, &text);
    return convert_control(infer, &text, st);
}

/* BYTES never move where they are. */
static bool is_constant(const struct infer *infer,
                        const struct document_input *input)
{
    const struct infer_request *request = &infer->request;

    return request->placed && input->dtype != DTYPE_BYTES &&
           request->placed[input - request->doc->inputs].is_constant;
}

static bool locate_data(struct infer *infer, const struct document_input *input,
                        unsigned char *bytes, struct status *st)
{
    struct infer_source *source = &infer->source;

    describe(input, bytes, &infer->call.data);
    if (!model_accepts(infer->model, &infer->call.data, st))
        return false;
    source->count = input->count;
    source->is_text = input->form == DOCUMENT_FORM_JSON;
    source->is_read_only =
        input->form == DOCUMENT_FORM_REGION || is_constant(infer, input);
    source->bytes = bytes;
    if (!source->is_text)
        return true;
    describe_text(&infer->request, input, &source->text);
    source->bytes = infer->request.body + source->text.origin;
    return tensor_json_supports(input->dtype, input->count, input->name, st) &&
           check_count(&source->text, st);
}

static bool require(const struct infer *infer, int data, int control,
                    struct status *st)
{
    const struct attribute_value *context =
        request_parameters_role(&infer->settings, ATTRIBUTE_CONTEXT);
    const struct op *op = infer->model->op;

    if (data >= 0 && (control >= 0 || (context && context->given)))
        return true;
    return status_fail(
        st, STATUS_INVALID, "input '%s' is missing: %s takes '%s' and '%s'%s",
        data < 0 ? op->data : op->control, op->name, op->data, op->control,
        context ? " (or the parameter backward_context)" : "");
}

bool locate_inputs(struct infer *infer, struct status *st)
{
    const struct document *doc = infer->request.doc;
    unsigned char *bytes[DOCUMENT_MAX_INPUTS] = {0};
    int data = find(doc, infer->model->op->data);
    int control = find(doc, infer->model->op->control);

    for (int i = 0; i < doc->input_count; i++)
        if (!check_name(infer, i, st))
            return false;
    if (!require(infer, data, control, st) ||
        !bytes_find(&infer->request, bytes, st) ||
        !locate_data(infer, &doc->inputs[data], bytes[data], st))
        return false;
    return control < 0 ||
           locate_control(infer, &doc->inputs[control], bytes[control], st);
}
