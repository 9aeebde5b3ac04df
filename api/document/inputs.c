/* The tensors that a document lists. */
#include <string.h>

#include "api/document/field.h"

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

/* Exactly one of the ways to give data. */
static bool check_ways(bool json, const struct document_place *place,
                       const char *where, const char *name, struct status *st)
{
    int ways = json + (place->value != NULL) + (place->region.name != NULL);

    if (ways == 1)
        return true;
    if (ways == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s ('%.64s') has neither data nor "
                           "parameters.binary_data_size nor "
                           "parameters.shared_memory_region",
                           where, name);
    return status_fail(
        st, STATUS_INVALID, "%s ('%.64s') has both %s and parameters.%s", where,
        name, json ? "data" : "parameters.binary_data_size",
        place->region.name ? "shared_memory_region" : "binary_data_size");
}

static bool read_data(const json_t *object, const char *where,
                      struct document_input *input, struct status *st)
{
    json_t *data = field_get(object, "data");
    struct document_place place = {.known = "binary_data_size"};

    if (!document_place(object, where, &place, st) ||
        !check_ways(data != NULL, &place, where, input->name, st))
        return false;
    if (data) {
        input->form = DOCUMENT_FORM_JSON;
        input->cut = (int)json_integer_value(data);
        return true;
    }
    if (place.region.name) {
        input->form = DOCUMENT_FORM_REGION;
        input->region = place.region;
        input->binary_bytes = place.region.bytes;
        return true;
    }
    input->form = DOCUMENT_FORM_BINARY;
    return document_binary_size(&place, where, &input->binary_bytes, st);
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
    struct document_place place = {.known = "binary_data"};

    if (!field_text(object, where, "name", &output->name, st) ||
        !document_place(object, where, &place, st))
        return false;
    if (place.value && !json_is_boolean(place.value))
        return status_fail(st, STATUS_INVALID,
                           "%s.parameters.binary_data is %s, but it must be a "
                           "boolean",
                           where, field_type(place.value));
    output->binary = json_is_true(place.value);
    output->region = place.region;
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
