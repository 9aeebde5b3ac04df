#include "api/document/tensor_lists.h"

#include <string.h>

#include "api/document/field.h"
#include "api/document/tensor_location.h"

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
                       "%s.datatype is '%.40s', but it must be one "
                       "of " DTYPE_ALL_NAMES,
                       where, name);
}

/* An input has its data in exactly one form. */
static bool check_forms(bool json, const struct tensor_location *location,
                        const char *where, const char *name, struct status *st)
{
    int forms =
        json + (location->value != NULL) + (location->region.name != NULL);

    if (forms == 1)
        return true;
    if (forms == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s ('%.64s') has neither data nor "
                           "parameters.binary_data_size nor "
                           "parameters.shared_memory_region",
                           where, name);
    return status_fail(
        st, STATUS_INVALID, "%s ('%.64s') has both %s and parameters.%s", where,
        name, json ? "data" : "parameters.binary_data_size",
        location->region.name ? "shared_memory_region" : "binary_data_size");
}

static bool read_data(const json_t *object, const char *where,
                      struct document_input *input, struct status *st)
{
    json_t *data = field_get(object, "data");
    struct tensor_location location = {.key = "binary_data_size"};

    if (!tensor_location_read(object, where, &location, st) ||
        !check_forms(data != NULL, &location, where, input->name, st))
        return false;
    if (data) {
        input->form = DOCUMENT_FORM_JSON;
        input->span = (int)json_integer_value(data);
        return true;
    }
    if (location.region.name) {
        input->form = DOCUMENT_FORM_REGION;
        input->region = location.region;
        input->binary_bytes = location.region.bytes;
        return true;
    }
    input->form = DOCUMENT_FORM_BINARY;
    return tensor_location_bytes(&location, where, &input->binary_bytes, st);
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

bool tensor_lists_read_inputs(const json_t *root, struct document *doc,
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
    struct tensor_location location = {.key = "binary_data"};

    if (!field_text(object, where, "name", &output->name, st) ||
        !tensor_location_read(object, where, &location, st))
        return false;
    if (location.value && !json_is_boolean(location.value))
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters.binary_data is %s, but it must be a "
                           "boolean",
                           where, field_type(location.value));
    output->binary = json_is_true(location.value);
    output->region = location.region;
    return true;
}

bool tensor_lists_read_outputs(const json_t *root, struct document *doc,
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
