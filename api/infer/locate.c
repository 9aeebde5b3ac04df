#include "api/infer/locate.h"

#include <string.h>

#include "api/infer/input.h"
#include "api/infer/region.h"

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

static bool check_left(const struct infer_request *request, int i,
                       uint64_t left, struct status *st)
{
    const struct document_input *input = &request->doc->inputs[i];

    return input->binary_bytes <= left ||
           status_fail(
               st, STATUS_INVALID,
               "inputs[%d] ('%.64s') declares %llu bytes, but %llu are left "
               "of the %zu behind the document",
               i, input->name, (unsigned long long)input->binary_bytes,
               (unsigned long long)left,
               request->body_len - request->binary_start);
}

static bool check_rest(const struct infer_request *request, uint64_t left,
                       struct status *st)
{
    size_t all = request->body_len - request->binary_start;

    return left == 0 ||
           status_fail(st, STATUS_INVALID,
                       "%zu bytes follow the document, but the inputs "
                       "declare %llu",
                       all, (unsigned long long)(all - left));
}

/* Finds the bytes of each input that is not JSON: behind the document, in the
 * order of the inputs, or in shared memory. */
static bool find_bytes(const struct infer_request *request,
                       unsigned char **bytes, struct status *st)
{
    uint64_t left = request->body_len - request->binary_start;
    unsigned char *at = request->body + request->binary_start;

    for (int i = 0; i < request->doc->input_count; i++) {
        const struct document_input *input = &request->doc->inputs[i];

        if (input->form == DOCUMENT_FORM_REGION &&
            !region_find(&request->regions, &input->region, input->name,
                         &bytes[i], st))
            return false;
        if (input->form == DOCUMENT_FORM_JSON)
            continue;
        if (!check_bytes(input, st))
            return false;
        if (input->form == DOCUMENT_FORM_REGION)
            continue;
        if (!check_left(request, i, left, st))
            return false;
        bytes[i] = at;
        at += input->binary_bytes;
        left -= input->binary_bytes;
    }
    return check_rest(request, left, st);
}

static bool check_name(const struct infer *infer, int at, struct status *st)
{
    const struct document *doc = infer->request.doc;
    const char *name = doc->inputs[at].name;
    const struct op *op = infer->model->op;

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

static bool locate_data(struct infer *infer, const struct document_input *input,
                        unsigned char *bytes, struct status *st)
{
    struct infer_source *source = &infer->source;

    input_describe(input, bytes, &infer->call.data);
    if (!model_accepts(infer->model, &infer->call.data, st))
        return false;
    source->count = input->count;
    source->is_text = input->form == DOCUMENT_FORM_JSON;
    source->is_shared = input->form == DOCUMENT_FORM_REGION;
    source->bytes = bytes;
    if (!source->is_text)
        return true;
    input_describe_text(&infer->request, input, &source->text);
    source->bytes = infer->request.body + source->text.origin;
    return tensor_json_supports(input->dtype, input->name, st) &&
           input_check_count(&source->text, st);
}

static bool require(const struct infer *infer, int data, int control,
                    struct status *st)
{
    const struct attribute_value *context = request_parameters_role(
        infer->model->op, &infer->settings, ATTRIBUTE_CONTEXT);
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
        !find_bytes(&infer->request, bytes, st) ||
        !locate_data(infer, &doc->inputs[data], bytes[data], st))
        return false;
    return control < 0 || input_locate_control(infer, &doc->inputs[control],
                                               bytes[control], st);
}
