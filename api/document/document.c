#include "api/document/document.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/cache.h"
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

static bool read_id(const json_t *root, struct document_own *own,
                    struct status *st)
{
    json_t *id = field_get(root, "id");

    own->id = NULL;
    own->id_len = 0;
    if (!id)
        return true;
    if (!json_is_string(id))
        return status_fail(st, STATUS_INVALID,
                           "id is %s, but it must be a string", field_type(id));
    own->id_len = json_string_length(id);
    own->id = own->id_len > 0 ? json_string_value(id) : NULL;
    return true;
}

static bool cut_out(const char *text, size_t len, bool header,
                    const struct json_known *known, struct json_skim *skim,
                    struct status *st)
{
    if (len == 0)
        return status_fail(st, STATUS_INVALID,
                           "malformed JSON at byte 0: the document is empty");
    if (json_skim_known(text, len, known, skim, st))
        return true;
    if (skim->trailing && !header)
        return status_fail(st, STATUS_INVALID,
                           "%zu bytes follow the JSON document, which ends at "
                           "byte %zu: binary tensors need the header "
                           "Inference-Header-Content-Length",
                           len - skim->end, skim->end);
    return false;
}

static struct document *read_skeleton(const struct json_skim *skim,
                                      struct document_own *own,
                                      struct status *st)
{
    struct document *doc = calloc(1, sizeof(*doc));

    if (!doc) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    atomic_init(&doc->holders, 1);
    if (document_tree(skim, doc, st) && read_id(doc->tree, own, st) &&
        document_parameters(doc->tree, doc, st) &&
        document_inputs(doc->tree, doc, st) &&
        document_outputs(doc->tree, doc, st))
        return doc;
    document_drop(doc);
    return NULL;
}

struct document *document_read(const char *text, size_t len, bool header,
                               struct document_own *own, struct status *st)
{
    struct document *doc = document_cache_find(text, len, own);
    struct json_skim skim;

    if (doc)
        return doc;
    if (!cut_out(text, len, header, &own->known, &skim, st))
        return NULL;
    doc = read_skeleton(&skim, own, st);
    if (doc) {
        memcpy(own->cuts, skim.cuts, sizeof(own->cuts));
        document_cache_put(text, len, &skim, own, doc);
    }
    json_skim_free(&skim);
    return doc;
}

struct document *document_hold(struct document *doc)
{
    atomic_fetch_add_explicit(&doc->holders, 1, memory_order_relaxed);
    return doc;
}

void document_drop(struct document *doc)
{
    if (!doc || atomic_fetch_sub(&doc->holders, 1) > 1)
        return;
    json_decref(doc->tree);
    free(doc);
}
