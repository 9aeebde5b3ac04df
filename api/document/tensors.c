#include "api/document/tensors.h"

#include <string.h>

#include "api/document/datatype.h"
#include "api/document/field.h"
#include "api/document/location.h"
#include "api/document/misplaced.h"
#include "api/prescan/walk.h"

/* What errors call the entries of the lists, and their parameters. */
static const char *const input_names[DOCUMENT_MAX_INPUTS][2] = {
    {"inputs[0]", "inputs[0].parameters"},
    {"inputs[1]", "inputs[1].parameters"},
    {"inputs[2]", "inputs[2].parameters"},
    {"inputs[3]", "inputs[3].parameters"}};
static const char *const output_names[DOCUMENT_MAX_OUTPUTS][2] = {
    {"outputs[0]", "outputs[0].parameters"},
    {"outputs[1]", "outputs[1].parameters"},
    {"outputs[2]", "outputs[2].parameters"},
    {"outputs[3]", "outputs[3].parameters"}};

/* Reads the parameters, of which there are any when *count becomes one more. */
static bool read_location(const json_t *object, const char *const names[2],
                          struct location *location, size_t *count,
                          struct status *st)
{
    json_t *parameters, *value;
    const char *key;

    if (!field_object(object, names[0], "parameters", &parameters, st))
        return false;
    *count += parameters != NULL;
    json_object_foreach(parameters, key, value)
    {
        struct document_parameter p;

        field_parameter(key, value, &p);
        if (!json_is_null(value) &&
            !(location_read(location, names[1], &p, st) &&
              misplaced_pass_value(key, value, names[1], st)))
            return false;
    }
    return location_check(location, names[1], st);
}

static bool read_dtype(const json_t *input, const char *where,
                       enum dtype *dtype, struct status *st)
{
    const char *name;

    return field_text(input, where, "datatype", &name, st) &&
           datatype_read(name, strlen(name), where, dtype, st);
}

/* An input has its data in one form at most. */
static bool check_forms(bool json, const struct location *location,
                        const char *where, const char *name, struct status *st)
{
    int forms =
        json + (location->value.key != NULL) + (location->region.name != NULL);

    if (forms <= 1)
        return true;
    return status_fail(
        st, STATUS_INVALID, "%s ('%.64s') has both %s and parameters.%s", where,
        name, json ? "data" : "parameters.binary_data_size",
        location->region.name ? "shared_memory_region" : "binary_data_size");
}

/* The size of an input that says nothing about its data. Whether bytes follow
 * the document is not known here. */
static bool derive_size(struct document_input *input, struct status *st)
{
    size_t bytes = 0;

    if (input->dtype != DTYPE_BYTES &&
        !tensor_bytes(input->dtype, input->count, input->name, &bytes, st))
        return false;
    input->is_derived = true;
    input->binary_bytes = bytes;
    return true;
}

static bool read_data(const json_t *object, const char *const names[2],
                      struct document_input *input, size_t *count,
                      struct status *st)
{
    json_t *data = field_get(object, "data");
    struct location location = {.is_input = true, .key = "binary_data_size"};

    *count += data != NULL;
    if (!read_location(object, names, &location, count, st) ||
        !check_forms(data != NULL, &location, names[0], input->name, st))
        return false;
    input->is_numpy = location.is_numpy;
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
    if (!location.value.key)
        return derive_size(input, st);
    return location_size(&location.value, names[1], &input->binary_bytes, st);
}

static bool read_input(json_t *object, const char *const names[2],
                       struct document_input *input, struct status *st)
{
    static const char *const known[] = {"name", "datatype",   "shape",
                                        "data", "parameters", NULL};
    size_t count = 3; /* members that were read, when these are */

    return field_text(object, names[0], "name", &input->name, st) &&
           read_dtype(object, names[0], &input->dtype, st) &&
           field_shape(object, names[0], &input->shape, st) &&
           shape_count(&input->shape, input->name, &input->count, st) &&
           read_data(object, names, input, &count, st) &&
           misplaced_pass_members(object, known, count, names[0], st);
}

static bool read_inputs(const json_t *root, struct document *doc,
                        struct status *st)
{
    json_t *inputs;

    if (!field_objects(root, "inputs", DOCUMENT_MAX_INPUTS, &inputs, st))
        return false;
    if (!inputs)
        return status_fail(st, STATUS_INVALID, "%s",
                           json_object_get(root, "instances")
                               ? "inputs is missing: " WALK_INSTANCES
                               : "inputs is missing: the request has no "
                                 "tensors");
    doc->input_count = (int)json_array_size(inputs);
    for (int i = 0; i < doc->input_count; i++)
        if (!read_input(json_array_get(inputs, (size_t)i), input_names[i],
                        &doc->inputs[i], st))
            return false;
    return true;
}

static bool read_output(json_t *object, const char *const names[2],
                        struct document_output *output, struct status *st)
{
    static const char *const known[] = {"name", "parameters", NULL};
    struct location location = {.key = "binary_data"};
    size_t count = 1;

    if (!field_text(object, names[0], "name", &output->name, st) ||
        !read_location(object, names, &location, &count, st) ||
        !misplaced_pass_members(object, known, count, names[0], st))
        return false;
    output->region = location.region;
    output->has_form = location.value.key != NULL;
    return !output->has_form ||
           location_bool(&location.value, names[1], &output->binary, st);
}

static bool read_outputs(const json_t *root, struct document *doc,
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

bool tensors_read(const json_t *root, struct document *doc, struct status *st)
{
    return read_inputs(root, doc, st) && read_outputs(root, doc, st);
}
