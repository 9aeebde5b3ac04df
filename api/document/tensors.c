#include "api/document/tensors.h"

#include <string.h>

#include "api/document/field.h"
#include "api/document/near_name.h"

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

/* The parameters of an input or output, most of which say where its bytes are.
 * The first two members are set by the caller. */
struct location {
    bool is_input;
    const char *key;     /* binary_data_size of an input, or binary_data */
    const json_t *value; /* of that key, borrowed; NULL when absent */
    bool is_numpy;       /* an input's content_type is "np" */
    struct document_region region;
    bool has_offset, has_bytes;
};

static bool read_region(const json_t *value, const char *where,
                        struct document_region *region, struct status *st)
{
    region->name = json_string_value(value);
    return (region->name && *region->name &&
            strlen(region->name) == json_string_length(value)) ||
           status_fail(st, STATUS_INVALID,
                       "%s.shared_memory_region must be a region's name",
                       where);
}

/* Ignores a key of the client's own; refuses one that was meant to change the
 * answer. */
static bool pass_unknown(const char *where, const char *key,
                         const struct location *location, struct status *st)
{
    const char *const known[] = {
        location->key, "shared_memory_region", "shared_memory_offset",
        "shared_memory_byte_size",
        location->is_input ? "content_type" : "classification"};
    bool refused = strncmp(key, "triton_", 7) == 0 ||
                   (!location->is_input && !strcmp(key, "classification"));

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        refused |= near_name(key, known[i]);
    return !refused ||
           status_fail(st, STATUS_INVALID,
                       "%s.%.40s is unknown; known are %s, %s"
                       "shared_memory_region, shared_memory_offset, "
                       "shared_memory_byte_size",
                       where, key, location->key,
                       location->is_input ? "content_type, " : "");
}

static bool read_parameter(const char *where, const char *key,
                           const json_t *value, struct location *location,
                           struct status *st)
{
    if (strcmp(key, location->key) == 0) {
        location->value = value;
        return true;
    }
    if (location->is_input && strcmp(key, "content_type") == 0) {
        location->is_numpy = json_is_string(value) &&
                             strcmp(json_string_value(value), "np") == 0;
        return true;
    }
    if (strcmp(key, "shared_memory_region") == 0)
        return read_region(value, where, &location->region, st);
    if (strcmp(key, "shared_memory_offset") == 0) {
        location->has_offset = true;
        return field_size(value, where, key, &location->region.offset, st);
    }
    if (strcmp(key, "shared_memory_byte_size") == 0) {
        location->has_bytes = true;
        return field_size(value, where, key, &location->region.bytes, st);
    }
    return pass_unknown(where, key, location, st);
}

static bool read_location(const json_t *object, const char *const names[2],
                          struct location *location, struct status *st)
{
    json_t *parameters, *value;
    const char *key;

    if (!field_object(object, names[0], "parameters", &parameters, st))
        return false;
    json_object_foreach(parameters, key, value)
    {
        if (!json_is_null(value) &&
            !read_parameter(names[1], key, value, location, st))
            return false;
    }
    if (!location->region.name && (location->has_offset || location->has_bytes))
        return status_fail(st, STATUS_INVALID,
                           "%s has shared_memory_%s without "
                           "shared_memory_region",
                           names[1],
                           location->has_bytes ? "byte_size" : "offset");
    if (location->region.name && !location->has_bytes)
        return status_fail(st, STATUS_INVALID,
                           "%s has shared_memory_region without "
                           "shared_memory_byte_size",
                           names[1]);
    return true;
}

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
static bool check_forms(bool json, const struct location *location,
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

static bool read_data(const json_t *object, const char *const names[2],
                      struct document_input *input, struct status *st)
{
    json_t *data = field_get(object, "data");
    struct location location = {.is_input = true, .key = "binary_data_size"};

    if (!read_location(object, names, &location, st) ||
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
    return field_size(location.value, names[1], location.key,
                      &input->binary_bytes, st);
}

static bool read_input(const json_t *object, const char *const names[2],
                       struct document_input *input, struct status *st)
{
    return field_text(object, names[0], "name", &input->name, st) &&
           read_dtype(object, names[0], &input->dtype, st) &&
           field_shape(object, names[0], &input->shape, st) &&
           shape_count(&input->shape, input->name, &input->count, st) &&
           read_data(object, names, input, st);
}

static bool read_inputs(const json_t *root, struct document *doc,
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

static bool read_output(const json_t *object, const char *const names[2],
                        struct document_output *output, struct status *st)
{
    struct location location = {.key = "binary_data"};

    if (!field_text(object, names[0], "name", &output->name, st) ||
        !read_location(object, names, &location, st))
        return false;
    output->region = location.region;
    return !location.value || field_bool(location.value, names[1], location.key,
                                         &output->binary, st);
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
