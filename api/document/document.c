#include "api/document/document.h"

#include <string.h>

#include "api/document/field.h"
#include "api/document/misplaced.h"
#include "kernels/core/require.h"
#include "kernels/core/status.h"

void document_init(struct document *doc)
{
    memset(doc, 0, offsetof(struct document, parameters));
    tree_init(&doc->tree, doc->room, sizeof(doc->room));
}

/* Each of these adds to *count the members that it has read. */
static bool read_id(const struct tree_value *root, struct document *doc,
                    size_t *count, struct status *st)
{
    const struct tree_value *id = tree_get(root, "id");

    if (!id)
        return true;
    ++*count;
    if (!field_is_string(id))
        return field_fail("", "id", id, "a string", st);
    doc->id_len = id->len;
    doc->id = id->len > 0 ? id->text : NULL;
    return true;
}

static bool read_parameters(const struct tree_value *root, struct document *doc,
                            size_t *count, struct status *st)
{
    const struct tree_value *parameters = tree_get(root, "parameters"), *v;

    if (!field_object(parameters, "", "parameters", st))
        return false;
    *count += parameters != NULL;
    for (v = parameters ? parameters->first : NULL; v; v = v->next) {
        if (v->kind == TREE_NULL)
            continue;
        if (doc->parameter_count == DOCUMENT_MAX_PARAMETERS)
            return status_fail(st, STATUS_INVALID,
                               "parameters has more than %d entries",
                               DOCUMENT_MAX_PARAMETERS);
        if (!misplaced_pass_value(v, "parameters", st))
            return false;
        doc->parameters[doc->parameter_count++] = *v;
    }
    return true;
}

/* Ignores a key of the client's own; refuses one that was meant to change the
 * answer, here or elsewhere. */
static bool pass_unknown(const char *where, const char *key,
                         const struct location *location, struct status *st)
{
    const char *const known[] = {
        location->key, "shared_memory_region", "shared_memory_offset",
        "shared_memory_byte_size",
        location->is_input ? location->key : "classification"};
    bool refused = strncmp(key, "triton_", 7) == 0 ||
                   (!location->is_input && !strcmp(key, "classification"));

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        refused |= near_name(key, known[i]);
    if (!refused)
        return misplaced_pass(key, MISPLACED_TENSOR, where, st);
    return status_fail(st, STATUS_INVALID,
                       "%s.%.40s is unknown; known are %s, "
                       "shared_memory_region, shared_memory_offset, "
                       "shared_memory_byte_size",
                       where, key, location->key);
}

bool location_read(struct location *location, const char *where,
                   const struct tree_value *p, struct status *st)
{
    const char *text = field_plain(p);

    if (strcmp(p->key, location->key) == 0) {
        location->value = *p;
        return true;
    }
    if (location->is_input && strcmp(p->key, "content_type") == 0) {
        location->is_numpy = text && strcmp(text, "np") == 0;
        return true;
    }
    if (strcmp(p->key, "shared_memory_region") == 0) {
        location->region.name = text;
        return (text && *text) ||
               status_fail(st, STATUS_INVALID,
                           "%s.shared_memory_region must be a region's name",
                           where);
    }
    if (strcmp(p->key, "shared_memory_offset") == 0) {
        location->has_offset = true;
        return field_size(p, where, p->key, &location->region.offset, st);
    }
    if (strcmp(p->key, "shared_memory_byte_size") == 0) {
        location->has_bytes = true;
        return field_size(p, where, p->key, &location->region.bytes, st);
    }
    return pass_unknown(where, p->key, location, st);
}

bool location_check(const struct location *location, const char *where,
                    struct status *st)
{
    if (!location->region.name && (location->has_offset || location->has_bytes))
        return status_fail(st, STATUS_INVALID,
                           "%s has shared_memory_%s without "
                           "shared_memory_region",
                           where, location->has_bytes ? "byte_size" : "offset");
    if (location->region.name && !location->has_bytes)
        return status_fail(st, STATUS_INVALID,
                           "%s has shared_memory_region without "
                           "shared_memory_byte_size",
                           where);
    return true;
}

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
static bool read_location(const struct tree_value *object,
                          const char *const names[2], struct location *location,
                          size_t *count, struct status *st)
{
    const struct tree_value *parameters = tree_get(object, "parameters"), *v;

    if (!field_object(parameters, names[0], "parameters", st))
        return false;
    *count += parameters != NULL;
    for (v = parameters ? parameters->first : NULL; v; v = v->next)
        if (v->kind != TREE_NULL &&
            !(location_read(location, names[1], v, st) &&
              misplaced_pass_value(v, names[1], st)))
            return false;
    return location_check(location, names[1], st);
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

static bool read_data(const struct tree_value *object,
                      const char *const names[2], struct document_input *input,
                      size_t *count, struct status *st)
{
    const struct tree_value *data = tree_get(object, "data");
    struct location location;
    size_t bytes = 0;

    *count += data != NULL;
    if (data) {
        input->form = DOCUMENT_FORM_JSON;
        input->data = (struct data_span){data->at, data->bytes};
        if (!tree_get(object, "parameters")) /* as nearly always */
            return true;
    }
    location = (struct location){.is_input = true, .key = "binary_data_size"};
    if (!read_location(object, names, &location, count, st) ||
        !check_forms(data != NULL, &location, names[0], input->name, st))
        return false;
    input->is_numpy = location.is_numpy;
    if (data)
        return true;
    if (location.region.name) {
        input->form = DOCUMENT_FORM_REGION;
        input->region = location.region;
        input->binary_bytes = location.region.bytes;
        return true;
    }
    input->form = DOCUMENT_FORM_BINARY;
    if (location.value.key)
        return field_size(&location.value, names[1], location.key,
                          &input->binary_bytes, st);
    /* Whether bytes follow the document is not known here. */
    input->is_derived = true;
    if (input->dtype != DTYPE_BYTES &&
        !tensor_bytes(input->dtype, input->count, input->name, &bytes, st))
        return false;
    input->binary_bytes = bytes;
    return true;
}

static bool read_input(const struct tree_value *object,
                       const char *const names[2], struct document_input *input,
                       struct status *st)
{
    static const char *const known[] = {"name", "datatype",   "shape",
                                        "data", "parameters", NULL};
    const struct tree_value *datatype = tree_get(object, "datatype");
    size_t count = 3; /* members that were read, when these are */
    const char *text;

    return field_text(tree_get(object, "name"), names[0], "name", &input->name,
                      st) &&
           field_text(datatype, names[0], "datatype", &text, st) &&
           datatype_read(text, datatype->len, names[0], &input->dtype, st) &&
           field_shape(tree_get(object, "shape"), names[0], &input->shape,
                       st) &&
           shape_count(&input->shape, input->name, &input->count, st) &&
           read_data(object, names, input, &count, st) &&
           misplaced_pass_members(object, known, count, NULL, names[0], st);
}

static bool read_inputs(const struct tree_value *root, struct document *doc,
                        struct status *st)
{
    const struct tree_value *inputs = tree_get(root, "inputs"), *v;

    if (!field_objects(inputs, "inputs", DOCUMENT_MAX_INPUTS, st))
        return false;
    if (!inputs)
        return status_fail(st, STATUS_INVALID, "%s",
                           tree_get(root, "instances")
                               ? "inputs is missing: " TREE_INSTANCES
                               : "inputs is missing: the request has no "
                                 "tensors");
    for (v = inputs->first; v; v = v->next) {
        int i = doc->input_count++;

        REQUIRE(i < DOCUMENT_MAX_INPUTS);
        memset(&doc->inputs[i], 0, offsetof(struct document_input, shape));
        if (!read_input(v, input_names[i], &doc->inputs[i], st))
            return false;
    }
    return true;
}

static bool read_output(const struct tree_value *object,
                        const char *const names[2],
                        struct document_output *output, struct status *st)
{
    static const char *const known[] = {"name", "parameters", NULL};
    struct location location = {.key = "binary_data"};
    size_t count = 1;

    if (!field_text(tree_get(object, "name"), names[0], "name", &output->name,
                    st) ||
        !read_location(object, names, &location, &count, st) ||
        !misplaced_pass_members(object, known, count, NULL, names[0], st))
        return false;
    output->region = location.region;
    output->has_form = location.value.key != NULL;
    return !output->has_form || field_bool(&location.value, names[1],
                                           location.key, &output->binary, st);
}

static bool read_outputs(const struct tree_value *root, struct document *doc,
                         size_t *count, struct status *st)
{
    const struct tree_value *outputs = tree_get(root, "outputs"), *v;

    if (!field_objects(outputs, "outputs", DOCUMENT_MAX_OUTPUTS, st))
        return false;
    *count += outputs != NULL;
    for (v = outputs ? outputs->first : NULL; v; v = v->next) {
        int i = doc->output_count++;

        REQUIRE(i < DOCUMENT_MAX_OUTPUTS);
        doc->outputs[i] = (struct document_output){.name = NULL};
        if (!read_output(v, output_names[i], &doc->outputs[i], st))
            return false;
    }
    return true;
}

bool document_read(struct document *doc, const struct tree_text *text,
                   const struct op *op, struct status *st)
{
    static const char *const known[] = {"inputs", "parameters", "outputs", "id",
                                        NULL};
    const struct tree_value *root;
    size_t count = 1; /* the inputs */

    doc->text = text->text;
    if (!tree_read(&doc->tree, text, st))
        return false;
    root = doc->tree.root;
    return read_id(root, doc, &count, st) &&
           read_parameters(root, doc, &count, st) &&
           read_inputs(root, doc, st) && read_outputs(root, doc, &count, st) &&
           misplaced_pass_members(root, known, count, op, "", st);
}
