/* flipd's operators as a backend of Triton Inference Server. A request becomes
 * an infer, which has all checks and texts; the tensor moves from its input to
 * its output in one pass or, where it comes in several parts, in place in the
 * output. A model never changes, so Triton may call from any thread. */
#include <stdlib.h>
#include <string.h>

#include "api/document/field.h"
#include "api/document/misplaced.h"
#include "api/infer/infer.h"
#include "deploy/triton/interface.h"
#include "server/base/clock.h"

struct served {
    struct model model;
    struct tree config; /* owned: the model's texts */
};

/* A request. A function that fails has set one of the errors. */
struct call {
    triton_request request;
    triton_response response;
    struct infer *infer;
    triton_error error; /* Triton's own; NULL: none */
    struct status st;
};

/* Keeps Triton's error; true without one. */
#define ASK(c, name, ...) (!((c)->error = TRITONBACKEND_##name(__VA_ARGS__)))

static triton_error error_of(const struct status *st)
{
    return TRITONSERVER_ErrorNew(
        st->code == STATUS_NO_MEMORY ? TRITON_UNAVAILABLE : TRITON_INVALID,
        st->message);
}

static bool read_parameter(struct call *c, uint32_t i, struct tree_value *p)
{
    static const enum tree_kind kinds[] = {TREE_STRING, TREE_INTEGER, TREE_BOOL,
                                           TREE_REAL};
    static const size_t sizes[] = {0, sizeof(int64_t), sizeof(bool),
                                   sizeof(double)};
    const void *value = NULL;
    const char *key = NULL;
    int type = 0;

    if (!ASK(c, RequestParameter, c->request, i, &key, &type, &value))
        return false;
    *p = (struct tree_value){.key = key, .key_len = (uint32_t)strlen(key)};
    if (type > TRITON_DOUBLE)
        return true; /* as null */
    p->kind = kinds[type];
    memcpy(&p->integer, value, sizes[type]);
    if (type == TRITON_STRING) {
        p->text = value;
        p->len = strlen(p->text);
    }
    return misplaced_pass_value(p, "parameters", &c->st);
}

static bool is_readable(struct call *c, int memory, const char *name)
{
    return memory <= TRITON_CPU_PINNED ||
           status_fail(&c->st, STATUS_NOT_SUPPORTED,
                       "'%.64s' is in a GPU's memory, but %s runs on the CPU",
                       name, c->infer->model->name);
}

/* The output has the data's shape, datatype and size. */
static bool make_output(struct call *c, const struct document_input *data,
                        int datatype)
{
    struct infer_target *target = &c->infer->target;
    const char *name = c->infer->model->output;
    triton_output output = NULL;
    int memory = TRITON_CPU;
    int64_t memory_id = 0;
    void *bytes = NULL;

    c->infer->doc.outputs[0] = (struct document_output){.name = name};
    c->infer->doc.output_count = 1;
    target->region_size = (size_t)data->binary_bytes;
    if (!ASK(c, ResponseOutput, c->response, &output, name, datatype,
             data->shape.dims, (uint32_t)data->shape.rank) ||
        !ASK(c, OutputBuffer, output, &bytes, target->region_size, &memory,
             &memory_id))
        return false;
    target->region = bytes;
    return is_readable(c, memory, name);
}

/* What only moves stays where it is, or is put together in the output. What is
 * read as values is copied: clients may write to shared memory at any time. */
static bool find_bytes(struct call *c, struct document_input *input,
                       triton_input source, uint32_t parts, bool moves)
{
    const void *part = NULL;
    int64_t memory_id = 0;
    uint64_t bytes = 0;
    unsigned char *to =
        moves ? c->infer->target.region
              : tree_take(&c->infer->doc.tree, (size_t)input->binary_bytes + 1,
                          NULL, &c->st);

    if (!to)
        return false;
    input->bytes = to;
    input->is_constant = moves && parts == 1;
    for (uint32_t i = 0; i < parts; i++, to += bytes) {
        int memory = TRITON_CPU;

        if (!ASK(c, InputBuffer, source, i, &part, &bytes, &memory,
                 &memory_id) ||
            !is_readable(c, memory, input->name))
            return false;
        if (input->is_constant)
            input->bytes = (unsigned char *)(uintptr_t)part;
        else
            memmove(to, part, (size_t)bytes);
    }
    return true;
}

static bool read_input(struct call *c, uint32_t i, struct document_input *input)
{
    uint32_t rank = 0, parts = 0;
    triton_input source = NULL;
    const int64_t *dims = NULL;
    int datatype = 0;
    const char *type;
    bool is_data;

    memset(input, 0, offsetof(struct document_input, shape));
    input->form = DOCUMENT_FORM_BINARY;
    if (!ASK(c, RequestInputByIndex, c->request, i, &source) ||
        !ASK(c, InputProperties, source, &input->name, &datatype, &dims, &rank,
             &input->binary_bytes, &parts))
        return false;
    type = TRITONSERVER_DataTypeString(datatype);
    is_data = strcmp(input->name, c->infer->model->op->data) == 0;
    return datatype_read(type, strlen(type), input->name, &input->dtype,
                         &c->st) &&
           shape_read(&input->shape, dims, (int)rank, input->name, &c->st) &&
           shape_count(&input->shape, input->name, &input->count, &c->st) &&
           (!is_data || make_output(c, input, datatype)) &&
           find_bytes(c, input, source, parts,
                      is_data && input->dtype != DTYPE_BYTES &&
                          input->binary_bytes > 0);
}

static bool read_request(struct call *c)
{
    struct document *doc = &c->infer->doc;
    uint32_t inputs = 0, parameters = 0;

    if (!ASK(c, RequestInputCount, c->request, &inputs) ||
        !ASK(c, RequestParameterCount, c->request, &parameters))
        return false;
    if (parameters > DOCUMENT_MAX_PARAMETERS)
        return status_fail(&c->st, STATUS_INVALID,
                           "parameters has more than %d entries",
                           DOCUMENT_MAX_PARAMETERS);
    if (inputs > DOCUMENT_MAX_INPUTS)
        return status_fail(&c->st, STATUS_INVALID,
                           "inputs has more than %d entries, but no model "
                           "takes more",
                           DOCUMENT_MAX_INPUTS);
    for (uint32_t i = 0; i < parameters; i++, doc->parameter_count++)
        if (!read_parameter(c, i, &doc->parameters[i]))
            return false;
    for (uint32_t i = 0; i < inputs; i++, doc->input_count++)
        if (!read_input(c, i, &doc->inputs[i]))
            return false;
    return true;
}

static bool answer(struct call *c)
{
    const char *echo, *context;
    struct infer_result result;
    struct api_plan plan = {0};
    unsigned char *buffer;
    bool ok;

    if (!read_request(c) || !infer_prepare(c->infer, &plan, &c->st))
        return false;
    buffer = malloc(plan.memory);
    if (!buffer)
        return status_fail(&c->st, STATUS_NO_MEMORY, "out of memory");
    ok = infer_execute(c->infer, buffer, NULL, &result, &c->st);
    free(buffer);
    echo = infer_echo(c->infer);
    context = c->infer->backward_context;
    return ok &&
           (!echo ||
            ASK(c, ResponseSetStringParameter, c->response, "name", echo)) &&
           (!context || ASK(c, ResponseSetStringParameter, c->response,
                            "backward_context", context));
}

static void serve(const struct model *model, triton_instance instance,
                  triton_request request)
{
    static const struct api_request none;
    struct call c = {.request = request};
    uint64_t start = clock_now_ns(), end = start;
    bool ok = ASK(&c, ResponseNew, &c.response, request);

    if (ok) {
        c.infer = infer_new(model, &none, DOCUMENT_FORM_REGION, &c.st);
        ok = c.infer && answer(&c);
        if (!ok && !c.error)
            c.error = error_of(&c.st);
        end = clock_now_ns();
        TRITONBACKEND_ResponseSend(c.response, TRITON_FINAL, c.error);
        infer_free(c.infer);
    }
    TRITONBACKEND_ModelInstanceReportStatistics(instance, request, ok, start,
                                                start, end, end);
    TRITONBACKEND_ModelInstanceReportBatchStatistics(instance, 1, start, start,
                                                     end, end);
    TRITONSERVER_ErrorDelete(c.error);
    TRITONBACKEND_RequestRelease(request, TRITON_RELEASE_ALL);
}

TRITON(ModelInstanceExecute, triton_instance instance, triton_request *requests,
       uint32_t count)
{
    triton_model model = NULL;
    void *served = NULL;
    triton_error error = TRITONBACKEND_ModelInstanceModel(instance, &model);

    if (!error)
        error = TRITONBACKEND_ModelState(model, &served);
    for (uint32_t i = 0; !error && i < count; i++)
        serve(&((struct served *)served)->model, instance, requests[i]);
    return error;
}

/* The text of a member, or `otherwise`. */
static const char *text_of(const struct tree_value *object, const char *key,
                           const char *otherwise)
{
    const struct tree_value *text = tree_get(object, key);

    return field_is_string(text) ? text->text : otherwise;
}

static bool read_attribute(struct model *m, const char *key, const char *text,
                           struct status *st)
{
    const struct tree_value value = field_of_text(m->op, key, text);

    return request_parameters_read_attribute(m->op, &value, m->fixed, st);
}

/* The configuration's parameters are the operator and attributes, which
 * requests may not set; the output may have another name than the operator's.
 */
static bool read_config(struct served *s, struct status *st)
{
    const struct tree_value *parameters =
        tree_get(s->config.root, "parameters");
    const struct tree_value *outputs = tree_get(s->config.root, "output");
    const char *op = text_of(tree_get(parameters, "op"), "string_value", "");
    struct model *m = &s->model;

    m->op = op_table_find(op, strlen(op));
    if (!m->op)
        return status_fail(st, STATUS_INVALID,
                           "the parameter op is '%.40s', but it must be an "
                           "operator, such as %s",
                           op, op_table[0]->name);
    m->version = m->op->version;
    m->name = text_of(s->config.root, "name", m->op->name);
    m->output =
        text_of(outputs ? tree_first(outputs) : NULL, "name", m->op->output);
    for (const struct tree_value *p = parameters->first; p; p = p->next)
        if (strcmp(p->key, "op") != 0 &&
            !read_attribute(m, p->key, text_of(p, "string_value", ""), st))
            return false;
    return model_check(m, st);
}

/* Of a model that was refused, too. */
TRITON(ModelFinalize, triton_model model)
{
    void *state = NULL;
    triton_error error = TRITONBACKEND_ModelState(model, &state);

    if (state)
        tree_free(&((struct served *)state)->config);
    free(state);
    return error;
}

TRITON(ModelInitialize, triton_model model)
{
    struct status st = {STATUS_NO_MEMORY, "out of memory"};
    struct served *s = calloc(1, sizeof(*s));
    triton_message config = NULL;
    const char *text = NULL;
    size_t bytes = 0;
    triton_error error =
        s ? TRITONBACKEND_ModelSetState(model, s) : error_of(&st);

    if (!error)
        error = TRITONBACKEND_ModelConfig(model, 1, &config);
    if (!error)
        error = TRITONSERVER_MessageSerializeToJson(config, &text, &bytes);
    if (!error &&
        !(tree_read_own(&s->config, text, bytes, &st) && read_config(s, &st)))
        error = error_of(&st);
    if (config)
        TRITONSERVER_MessageDelete(config);
    return error;
}
