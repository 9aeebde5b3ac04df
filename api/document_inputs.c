/* The tensors that a document lists. */
#include <string.h>

#include "api/document_field.h"

/* What errors call the entries of the lists. */
static const char *const input_names[DOCUMENT_MAX_INPUTS] = {
    "inputs[0]", "inputs[1]", "inputs[2]", "inputs[3]"};
static const char *const output_names[DOCUMENT_MAX_OUTPUTS] = {
    "outputs[0]", "outputs[1]", "outputs[2]", "outputs[3]"};

static bool read_dtype(const json_t *input, const char *where,
                       enum dtype *dtype, struct status *st)
{
    const char *name;

    if (!field_text(input, where, "datatype", &name, st))
        return false;
    if (dtype_parse(name, strlen(name), dtype))
        return true;
    return status_fail(st, STATUS_INVALID,
                       "%s.datatype is '%.40s', but it must be one of BOOL, "
                       "INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, "
                       "UINT64, FP16, BF16, FP32, FP64, COMPLEX64, COMPLEX128, "
                       "BYTES, INT4, UINT4, UINT2, UINT1, FP8_E4M3, FP8_E5M2, "
                       "FP8_E8M0, FP4_E2M1, NF4",
                       where, name);
}

static bool refuse_key(const char *where, const char *key, const char *known,
                       struct status *st)
{
    if (strncmp(key, "shared_memory_", 14) == 0)
        return status_fail(st, STATUS_NOT_SUPPORTED,
                           "%s.parameters.%.40s: shared memory is not enabled "
                           "on this server",
                           where, key);
    return status_fail(st, STATUS_INVALID,
                       "%s.parameters.%.40s is unknown; known is %s", where,
                       key, known);
}

/* The parameters of an input or output: `known` or nothing. */
static bool read_known(const json_t *object, const char *where,
                       const char *known, json_t **value, struct status *st)
{
    json_t *parameters;
    json_t *entry;
    const char *key;

    *value = NULL;
    if (!field_object(object, where, "parameters", &parameters, st))
        return false;
    json_object_foreach(parameters, key, entry)
    {
        if (json_is_null(entry))
            continue;
        if (strcmp(key, known) != 0)
            return refuse_key(where, key, known, st);
        *value = entry;
    }
    return true;
}

static bool read_binary_size(const json_t *size, const char *where,
                             struct document_input *input, struct status *st)
{
    if (!json_is_integer(size))
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters.binary_data_size is %s, but it must "
                           "be an integer",
                           where, field_type(size));
    if (json_integer_value(size) < 0)
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters.binary_data_size is %lld, but it "
                           "must be 0 or more",
                           where, (long long)json_integer_value(size));
    input->form = DOCUMENT_FORM_BINARY;
    input->binary_bytes = (uint64_t)json_integer_value(size);
    return true;
}

static bool read_data(const json_t *object, const char *where,
                      struct document_input *input, struct status *st)
{
    json_t *data = field_get(object, "data");
    json_t *size;

    if (!read_known(object, where, "binary_data_size", &size, st))
        return false;
    if (!data && !size)
        return status_fail(st, STATUS_INVALID,
                           "%s ('%.64s') has neither data nor "
                           "parameters.binary_data_size",
                           where, input->name);
    if (data && size)
        return status_fail(st, STATUS_INVALID,
                           "%s ('%.64s') has both data and "
                           "parameters.binary_data_size",
                           where, input->name);
    if (size)
        return read_binary_size(size, where, input, st);
    input->form = DOCUMENT_FORM_JSON;
    input->cut = (int)json_integer_value(data);
    return true;
}

static bool read_input(const json_t *object, const char *where,
                       struct document_input *input, struct status *st)
{
    return field_text(object, where, "name", &input->name, st) &&
           read_dtype(object, where, &input->dtype, st) &&
           field_shape(object, where, &input->shape, st) &&
           shape_count(&input->shape, input->name, &input->count, st) &&
           read_data(object, where, input, st);
}

bool document_inputs(const json_t *root, struct document *doc,
                     struct status *st)
{
    json_t *inputs;

    if (!field_objects(root, "inputs", DOCUMENT_MAX_INPUTS, &inputs, st))
        return false;
    if (!inputs)
        return status_fail(st, STATUS_INVALID,
                           "inputs is missing: the request has no tensors");
    doc->input_count = (int)json_array_size(inputs);
    for (int i = 0; i < doc->input_count; i++)
        if (!read_input(json_array_get(inputs, (size_t)i), input_names[i],
                        &doc->inputs[i], st))
            return false;
    return true;
}

static bool read_output(const json_t *object, const char *where,
                        struct document_output *output, struct status *st)
{
    json_t *binary;

    if (!field_text(object, where, "name", &output->name, st) ||
        !read_known(object, where, "binary_data", &binary, st))
        return false;
    if (binary && !json_is_boolean(binary))
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters.binary_data is %s, but it must be a "
                           "boolean",
                           where, field_type(binary));
    output->binary = json_is_true(binary);
    return true;
}

bool document_outputs(const json_t *root, struct document *doc,
                      struct status *st)
{
    json_t *outputs;

    if (!field_objects(root, "outputs", DOCUMENT_MAX_OUTPUTS, &outputs, st))
        return false;
    doc->output_count = (int)json_array_size(outputs);
    for (int i = 0; i < doc->output_count; i++)
        if (!read_output(json_array_get(outputs, (size_t)i), output_names[i],
                         &doc->outputs[i], st))
            return false;
    return true;
}
