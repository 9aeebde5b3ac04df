#include "api/document/parameters.h"

#include <string.h>

#include "api/document/field.h"

static bool read_text_list(const json_t *value, struct document_parameter *p)
{
    const json_t *only = json_array_get(value, 0);

    if (json_array_size(value) != 1 || !json_is_string(only))
        return false;
    p->kind = DOCUMENT_TEXT_LIST;
    p->text = json_string_value(only);
    return strlen(p->text) == json_string_length(only);
}

void parameters_read_value(const char *key, const json_t *value,
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

bool parameters_read(const json_t *root, struct document *doc,
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
        parameters_read_value(key, value,
                              &doc->parameters[doc->parameter_count++]);
    }
    return true;
}
