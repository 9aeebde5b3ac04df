/* The backend in a server of the test's own, which does what Triton does rarely
 * or not on this machine: parts of odd sizes, a GPU's memory, and calls that
 * fail, one after the other. */
#include "deploy/triton/interface.h"
#include "tests/unit.h"

enum { FP32 = 11, BYTES = 13, INT64 = 9, INT32 = 8, GPU = 2, OWN_ERROR = 99 };

struct TRITONSERVER_Error {
    int code;
    char text[400];
};

struct TRITONSERVER_Message {
    const char *text;
};

struct TRITONBACKEND_Model {
    struct TRITONSERVER_Message config;
    void *state;
};

struct TRITONBACKEND_ModelInstance {
    struct TRITONBACKEND_Model *model;
};

struct TRITONBACKEND_Input {
    const char *name;
    int datatype;
    int64_t dims[3];
    uint32_t rank;
    const void *bytes;
    uint64_t size;
    uint64_t step; /* bytes of a part */
    int memory;
};

/* A request, its response and the output of that. */
struct TRITONBACKEND_Request {
    struct TRITONBACKEND_Input inputs[3];
    uint32_t input_count;
    struct {
        const char *key;
        int type;
        const void *value;
    } parameters[4];
    uint32_t parameter_count;
    int output_memory;

    char output[64];
    char context[200], error[400];
    int code; /* of the error that was sent */
    int sent, released, reported;
};

struct TRITONBACKEND_Response {
    struct TRITONBACKEND_Request request;
};

struct TRITONBACKEND_Output {
    struct TRITONBACKEND_Request request;
};

static int errors;     /* that nobody has deleted */
static int calls_left; /* until one fails */

triton_error TRITONSERVER_ErrorNew(int code, const char *text)
{
    triton_error error = malloc(sizeof(*error));

    ck_assert_ptr_nonnull(error);
    error->code = code;
    snprintf(error->text, sizeof(error->text), "%s", text);
    errors++;
    return error;
}

void TRITONSERVER_ErrorDelete(triton_error error)
{
    errors -= error != NULL;
    free(error);
}

/* The call that is to fail. */
static triton_error fails(void)
{
    return calls_left-- == 0 ? TRITONSERVER_ErrorNew(OWN_ERROR, "the server's")
                             : NULL;
}

const char *TRITONSERVER_DataTypeString(int datatype)
{
    return datatype == FP32    ? "FP32"
           : datatype == BYTES ? "BYTES"
           : datatype == INT64 ? "INT64"
           : datatype == INT32 ? "INT32"
                               : "FP6";
}

triton_error TRITONSERVER_MessageSerializeToJson(triton_message message,
                                                 const char **text,
                                                 size_t *bytes)
{
    *text = message->text;
    *bytes = strlen(message->text);
    return fails();
}

triton_error TRITONSERVER_MessageDelete(triton_message message)
{
    ck_assert_ptr_nonnull(message);
    return NULL;
}

TRITON(ModelConfig, triton_model model, uint32_t version,
       triton_message *config)
{
    ck_assert_uint_eq(version, 1);
    triton_error error = fails();

    if (!error)
        *config = &model->config;
    return error;
}

TRITON(ModelState, triton_model model, void **state)
{
    triton_error error = fails();

    *state = error ? NULL : model->state;
    return error;
}

TRITON(ModelSetState, triton_model model, void *state)
{
    model->state = state;
    return NULL;
}

TRITON(ModelInstanceModel, triton_instance instance, triton_model *model)
{
    *model = instance->model;
    return fails();
}

TRITON(ModelInstanceReportStatistics, triton_instance instance,
       triton_request request, bool ok, uint64_t start, uint64_t compute_start,
       uint64_t compute_end, uint64_t end)
{
    ck_assert_ptr_nonnull(instance->model);
    ck_assert(start <= compute_start && compute_start <= compute_end &&
              compute_end <= end);
    ck_assert_int_eq(ok, request->sent && !request->code);
    request->reported++;
    return NULL;
}

TRITON(ModelInstanceReportBatchStatistics, triton_instance instance,
       uint64_t requests, uint64_t start, uint64_t compute_start,
       uint64_t compute_end, uint64_t end)
{
    ck_assert_ptr_nonnull(instance->model);
    ck_assert(start <= compute_start && compute_end <= end);
    ck_assert_uint_eq(requests, 1);
    return NULL;
}

TRITON(RequestInputCount, triton_request request, uint32_t *count)
{
    *count = request->input_count;
    return fails();
}

TRITON(RequestInputByIndex, triton_request request, uint32_t index,
       triton_input *input)
{
    *input = &request->inputs[index];
    return fails();
}

TRITON(RequestParameterCount, triton_request request, uint32_t *count)
{
    *count = request->parameter_count;
    return fails();
}

TRITON(RequestParameter, triton_request request, uint32_t index,
       const char **key, int *type, const void **value)
{
    *key = request->parameters[index].key;
    *type = request->parameters[index].type;
    *value = request->parameters[index].value;
    return fails();
}

TRITON(RequestRelease, triton_request request, uint32_t flags)
{
    ck_assert_uint_eq(flags, TRITON_RELEASE_ALL);
    request->released++;
    return NULL;
}

TRITON(InputProperties, triton_input input, const char **name, int *datatype,
       const int64_t **dims, uint32_t *rank, uint64_t *bytes, uint32_t *parts)
{
    *name = input->name;
    *datatype = input->datatype;
    *dims = input->dims;
    *rank = input->rank;
    *bytes = input->size;
    *parts = (uint32_t)((input->size + input->step - 1) / input->step);
    return fails();
}

TRITON(InputBuffer, triton_input input, uint32_t part, const void **buffer,
       uint64_t *bytes, int *memory, int64_t *memory_id)
{
    uint64_t at = part * input->step;

    ck_assert_int_eq(*memory, TRITON_CPU);
    *buffer = (const char *)input->bytes + at;
    *bytes = at + input->step > input->size ? input->size - at : input->step;
    *memory = input->memory;
    *memory_id = 0;
    return fails();
}

TRITON(ResponseNew, triton_response *response, triton_request request)
{
    *response = (triton_response)request;
    return fails();
}

TRITON(ResponseSetStringParameter, triton_response response, const char *key,
       const char *text)
{
    triton_request request = &response->request;

    ck_assert_str_eq(key, "backward_context");
    snprintf(request->context, sizeof(request->context), "%s", text);
    return fails();
}

TRITON(ResponseOutput, triton_response response, triton_output *output,
       const char *name, int datatype, const int64_t *dims, uint32_t rank)
{
    const struct TRITONBACKEND_Input *data = &response->request.inputs[0];

    *output = (triton_output)response;
    ck_assert_str_eq(name, "result");
    ck_assert_int_eq(datatype, data->datatype);
    ck_assert_uint_eq(rank, data->rank);
    ck_assert_mem_eq(dims, data->dims, rank * sizeof(*dims));
    return fails();
}

TRITON(OutputBuffer, triton_output output, void **buffer, uint64_t bytes,
       int *memory, int64_t *memory_id)
{
    ck_assert_uint_le(bytes, sizeof(output->request.output));
    *buffer = bytes > 0 ? output->request.output : NULL;
    *memory = output->request.output_memory;
    *memory_id = 0;
    return fails();
}

TRITON(ResponseSend, triton_response response, uint32_t flags,
       triton_error error)
{
    triton_request request = &response->request;

    ck_assert_uint_eq(flags, TRITON_FINAL);
    ck_assert_int_eq(request->released, 0);
    request->sent++;
    if (error) {
        request->code = error->code;
        snprintf(request->error, sizeof(request->error), "%s", error->text);
    }
    return NULL;
}

static const float x[] = {0, 1, 2, 3, 4, 5};
static const int64_t lens[] = {3, 2};

/* [3, 2], whose columns are reversed up to 3 and 2. */
static struct TRITONBACKEND_Request request_of(uint64_t step)
{
    return (struct TRITONBACKEND_Request){
        .inputs = {{"input", FP32, {3, 2}, 2, x, sizeof(x), step, TRITON_CPU},
                   {"sequence_lens",
                    INT64,
                    {2},
                    1,
                    lens,
                    sizeof(lens),
                    step,
                    TRITON_CPU_PINNED}},
        .input_count = 2};
}

static const float reversed[] = {4, 3, 2, 1, 0, 5};

#define CONFIG(parameters)                                                     \
    "{\"name\":\"mine\",\"max_batch_size\":0,\"output\":[{\"name\":"           \
    "\"result\"}],\"parameters\":{" parameters "}}"
#define ENTRY(key, text) "\"" key "\":{\"string_value\":\"" text "\"}"
#define GRAIPHIC ENTRY("op", "graiphic.ReverseSequence")

/* Executes the requests; a call that fails may leave them untouched. */
static triton_error run(const char *config, struct TRITONBACKEND_Request **all,
                        uint32_t count)
{
    struct TRITONBACKEND_Model model = {.config.text = config};
    struct TRITONBACKEND_ModelInstance instance = {&model};
    triton_error error = TRITONBACKEND_ModelInitialize(&model), end;

    if (!error)
        error = TRITONBACKEND_ModelInstanceExecute(&instance, all, count);
    calls_left = -1; /* what fails here is the test's memory */
    end = TRITONBACKEND_ModelFinalize(&model);
    ck_assert_ptr_null(end);
    return error;
}

static void answer(struct TRITONBACKEND_Request *request)
{
    calls_left = -1;
    ck_assert_ptr_null(run(CONFIG(GRAIPHIC), &request, 1));
    ck_assert_int_eq(errors, 0);
    ck_assert_int_eq(request->sent, 1);
    ck_assert_int_eq(request->released, 1);
    ck_assert_int_eq(request->reported, 1);
}

LOOP_TEST(moves_parts_of_any_size, 25)
{
    struct TRITONBACKEND_Request request = request_of((uint64_t)_i + 1);

    answer(&request);
    ck_assert_str_eq(request.error, "");
    ck_assert_mem_eq(request.output, reversed, sizeof(reversed));
    ck_assert_uint_gt(strlen(request.context), 0);
}

LOOP_TEST(moves_texts_in_parts, 20)
{
    static const char texts[] = "\1\0\0\0a\0\0\0\0\2\0\0\0bc";
    static const char turned[] = "\2\0\0\0bc\0\0\0\0\1\0\0\0a";
    struct TRITONBACKEND_Request request = request_of((uint64_t)_i + 1);

    request.inputs[0] = (struct TRITONBACKEND_Input){
        "input", BYTES, {3, 1}, 2, texts, 15, (uint64_t)_i + 1, TRITON_CPU};
    request.inputs[1].dims[0] = 1;
    request.inputs[1].size = sizeof(lens[0]);
    answer(&request);
    ck_assert_str_eq(request.error, "");
    ck_assert_mem_eq(request.output, turned, 15);
}

UNIT_TEST(moves_nothing)
{
    struct TRITONBACKEND_Request request = request_of(8);

    request.inputs[0].dims[0] = 0;
    request.inputs[0].size = 0;
    memset(request.inputs[1].dims, 0, sizeof(request.inputs[1].dims));
    request.inputs[1].dims[0] = 2;
    static const int64_t none[] = {0, 0};
    request.inputs[1].bytes = none;
    answer(&request);
    ck_assert_str_eq(request.error, "");
}

/* Wrong requests, by what is changed in a right one, and the texts. */
static void on_gpu(struct TRITONBACKEND_Request *r)
{
    r->inputs[0].memory = GPU;
}

static void lens_on_gpu(struct TRITONBACKEND_Request *r)
{
    r->inputs[1].memory = GPU;
}

static void to_gpu(struct TRITONBACKEND_Request *r)
{
    r->output_memory = GPU;
}

static void of_unknown_type(struct TRITONBACKEND_Request *r)
{
    r->inputs[0].datatype = 77;
}

static void of_negative_dim(struct TRITONBACKEND_Request *r)
{
    r->inputs[0].dims[0] = 0;
    r->inputs[0].dims[1] = -2;
}

static void too_short(struct TRITONBACKEND_Request *r)
{
    r->inputs[0].size = 20;
}

static void without_data(struct TRITONBACKEND_Request *r)
{
    r->inputs[0] = r->inputs[1];
    r->input_count = 1;
}

static void without_lens(struct TRITONBACKEND_Request *r)
{
    r->input_count = 1;
}

static void with_parameter(struct TRITONBACKEND_Request *r, const char *key,
                           int type, const void *value)
{
    r->parameters[0].key = key;
    r->parameters[0].type = type;
    r->parameters[0].value = value;
    r->parameter_count = 1;
}

static void with_integer(struct TRITONBACKEND_Request *r)
{
    static const int64_t axis = 7;

    with_parameter(r, "batch_axis", TRITON_INT, &axis);
}

static void with_text(struct TRITONBACKEND_Request *r)
{
    with_parameter(r, "batch_axis", TRITON_STRING, "7");
}

static void with_flag(struct TRITONBACKEND_Request *r)
{
    static const bool flag = true;

    with_parameter(r, "batch_axis", TRITON_BOOL, &flag);
}

static void with_fraction(struct TRITONBACKEND_Request *r)
{
    static const double half = 0.5;

    with_parameter(r, "batch_axis", TRITON_DOUBLE, &half);
}

static void with_another(struct TRITONBACKEND_Request *r)
{
    with_parameter(r, "batch_axis", 4, "bytes");
}

static void with_another_name(struct TRITONBACKEND_Request *r)
{
    with_parameter(r, "specified_outputs_name", TRITON_STRING, "Z");
}

static void with_five_inputs(struct TRITONBACKEND_Request *r)
{
    r->input_count = 5;
}

static void with_33_parameters(struct TRITONBACKEND_Request *r)
{
    r->parameter_count = 33;
}

static void with_misplaced(struct TRITONBACKEND_Request *r)
{
    with_parameter(r, "params", TRITON_STRING, "time_axis=1");
}

static const struct {
    void (*change)(struct TRITONBACKEND_Request *request);
    const char *text;
} wrong[] = {
    {on_gpu, "'input' is in a GPU's memory, but mine runs on the CPU"},
    {lens_on_gpu, "'sequence_lens' is in a GPU's memory"},
    {to_gpu, "'result' is in a GPU's memory"},
    {of_unknown_type, "input.datatype is 'FP6'"},
    {of_negative_dim, "dimension 1 of input is -2"},
    {too_short, "'input' has 20 bytes, but FP32 of shape [3, 2] takes 24"},
    {without_data, "input 'input' is missing"},
    {without_lens, "input 'sequence_lens' is missing"},
    {with_integer, "batch_axis is 7"},
    {with_text, "batch_axis is 7"},
    {with_flag, "batch_axis is true, but it must be an integer"},
    {with_fraction, "batch_axis is 0.5, but it must be an integer"},
    {with_another, "batch_axis is"},
    {with_another_name, "outputs[0] is 'result', but the output is 'Z'"},
    {with_five_inputs, "inputs has more than 4 entries"},
    {with_33_parameters, "parameters has more than 32 entries"},
    {with_misplaced, "time_axis"},
};

LOOP_TEST(refuses, COUNT(wrong))
{
    struct TRITONBACKEND_Request request = request_of(64);

    wrong[_i].change(&request);
    answer(&request);
    ck_assert_int_eq(request.code, TRITON_INVALID);
    if (!strstr(request.error, wrong[_i].text))
        ck_abort_msg("'%s' does not have '%s'", request.error, wrong[_i].text);
}

UNIT_TEST(answers_each_request_for_itself)
{
    struct TRITONBACKEND_Request first = request_of(64), second = first,
                                 third = first;
    struct TRITONBACKEND_Request *all[] = {&first, &second, &third};

    on_gpu(&second);
    calls_left = -1;
    ck_assert_ptr_null(run(CONFIG(GRAIPHIC), all, 3));
    ck_assert_int_eq(errors, 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(all[i]->sent, 1);
        ck_assert_int_eq(all[i]->released, 1);
        ck_assert_int_eq(all[i]->code, i == 1 ? TRITON_INVALID : 0);
    }
    ck_assert_mem_eq(third.output, reversed, sizeof(reversed));
}

static const struct {
    const char *config, *text;
} refused[] = {
    {"{\"name\":\"mine\"}", "the parameter op is ''"},
    {CONFIG(""), "the parameter op is '', but it must be an operator"},
    {CONFIG(ENTRY("op", "flip")), "the parameter op is 'flip'"},
    {CONFIG(GRAIPHIC "," ENTRY("axis", "1")), "axis is no attribute of"},
    {CONFIG(GRAIPHIC "," ENTRY("training", "1")),
     "training is '1', but it must be a boolean"},
    {CONFIG(GRAIPHIC "," ENTRY("time_axis", "x")),
     "time_axis is 'x', but it must be an integer"},
    {CONFIG(GRAIPHIC ",\"time_axis\":{}"), "time_axis is ''"},
    {CONFIG(GRAIPHIC "," ENTRY("time_axis", "1") "," ENTRY("batch_axis", "1")),
     "batch_axis"},
};

LOOP_TEST(refuses_a_configuration, COUNT(refused))
{
    triton_error error;

    calls_left = -1;
    error = run(refused[_i].config, NULL, 0);
    ck_assert_ptr_nonnull(error);
    if (!strstr(error->text, refused[_i].text))
        ck_abort_msg("'%s' does not have '%s'", error->text, refused[_i].text);
    TRITONSERVER_ErrorDelete(error);
    ck_assert_int_eq(errors, 0);
}

UNIT_TEST(fixes_attributes)
{
    static const float in_rows[] = {0, 1, 3, 2, 5, 4};
    static const int64_t row_lens[] = {1, 2, 2};
    struct TRITONBACKEND_Request request = request_of(64), *all = &request;

    request.inputs[1] = (struct TRITONBACKEND_Input){
        "sequence_lens", INT64, {3}, 1, row_lens, sizeof(row_lens), 64, 0};
    calls_left = -1;
    ck_assert_ptr_null(
        run(CONFIG(GRAIPHIC "," ENTRY("batch_axis", "0") "," ENTRY(
                "time_axis", "1") "," ENTRY("training", "false")),
            &all, 1));
    ck_assert_str_eq(request.error, "");
    ck_assert_mem_eq(request.output, in_rows, sizeof(in_rows));
    ck_assert_str_eq(request.context, "");
}

/* Each call that can fail does, in one run after the other. */
UNIT_TEST(passes_the_servers_errors_on)
{
    for (int n = 0, failed = 1; failed; n++) {
        struct TRITONBACKEND_Request request = request_of(5), *all = &request;
        triton_error error;

        with_parameter(&request, "batch_axis", TRITON_STRING, "1");
        calls_left = n;
        error = run(CONFIG(GRAIPHIC), &all, 1);
        failed = error || request.code || !request.sent;
        if (error)
            ck_assert_int_eq(error->code, OWN_ERROR);
        else
            ck_assert_int_eq(request.released, 1);
        ck_assert_int_eq(request.code, request.sent && failed ? OWN_ERROR : 0);
        TRITONSERVER_ErrorDelete(error);
        ck_assert_int_eq(errors, 0);
        ck_assert_int_lt(n, 100);
    }
}
