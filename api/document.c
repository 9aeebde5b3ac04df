#include "api/document.h"

#include <jansson.h>
#include <string.h>

#include "api/document_field.h"

static bool read_text_list(const json_t *value, struct document_parameter *p)
{
    const json_t *only = json_array_get(value, 0);

    if (json_array_size(value) != 1 || !json_is_string(only))
        return false;
    p->kind = DOCUMENT_TEXT_LIST;
    p->text = json_string_value(only);
    return strlen(p->text) == json_string_length(only);
}

void document_parameter_read(const char *key, const json_t *value,
                             struct document_parameter *p)
{
    *p = (struct document_parameter){.key = key};
    if (json_is_integer(value)) {
        p->kind = DOCUMENT_INT;
        p->integer = json_integer_value(value);
        p->real = (double)p->integer;
    } else if (json_is_real(value)) {
        p->kind = DOCUMENT_REAL;
        p->real = json_real_value(value);
    } else if (json_is_boolean(value)) {
        p->kind = DOCUMENT_BOOL;
        p->flag = json_is_true(value);
    } else if (json_is_string(value)) {
        p->text = json_string_value(value);
        p->kind = strlen(p->text) == json_string_length(value) ? DOCUMENT_TEXT
                                                               : DOCUMENT_OTHER;
    } else if (!read_text_list(value, p)) {
        p->kind = DOCUMENT_OTHER;
    }
}

bool document_parameters(const json_t *root, struct document *doc,
                         struct status *st)
{
    json_t *parameters;
    json_t *value;
    const char *key;

    if (!field_object(root, "", "parameters", &parameters, st))
        return false;
    json_object_foreach(parameters, key, value)
    {
        if (json_is_null(value))
            continue;
        if (doc->parameter_count == DOCUMENT_MAX_PARAMETERS)
            return status_fail(st, STATUS_INVALID,
                               "parameters has more than %d entries",
                               DOCUMENT_MAX_PARAMETERS);
        document_parameter_read(key, value,
                                &doc->parameters[doc->parameter_count++]);
    }
    return true;
}

static bool read_id(const json_t *root, struct document *doc, struct status *st)
{
    json_t *id = field_get(root, "id");

    if (!id)
        return true;
    if (!json_is_string(id))
        return status_fail(st, STATUS_INVALID,
                           "id is %s, but it must be a string", field_type(id));
    doc->id_len = json_string_length(id);
    doc->id = doc->id_len > 0 ? json_string_value(id) : NULL;
    return true;
}

static bool skim(const char *text, size_t len, bool header,
                 struct document *doc, struct status *st)
{
    if (json_skim(text, len, &doc->skim, st))
        return true;
    if (doc->skim.trailing && !header)
        return status_fail(st, STATUS_INVALID,
                           "%zu bytes follow the JSON document, which ends at "
                           "byte %zu: binary tensors need the header "
                           "Inference-Header-Content-Length",
                           len - doc->skim.end, doc->skim.end);
    return false;
}

bool document_read(const char *text, size_t len, bool header,
                   struct document *doc, struct status *st)
{
    *doc = (struct document){0};
    if (len == 0)
        return status_fail(st, STATUS_INVALID,
                           "malformed JSON at byte 0: the document is empty");
    return skim(text, len, header, doc, st) && document_tree(doc, st) &&
           read_id(doc->tree, doc, st) &&
           document_parameters(doc->tree, doc, st) &&
           document_inputs(doc->tree, doc, st) &&
           document_outputs(doc->tree, doc, st);
}

void document_free(struct document *doc)
{
    json_decref(doc->tree);
    doc->tree = NULL;
    json_skim_free(&doc->skim);
}
