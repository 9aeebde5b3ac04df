#include "api/document/read.h"

#include <string.h>

#include "api/document/field.h"
#include "api/document/json_load.h"
#include "api/document/tensors.h"
#include "api/prescan/prescan.h"

static bool strip(const struct document_text *text, bool has_header,
                  struct stripped_document *stripped, struct status *st)
{
    size_t trailing_at;

    if (text->len == 0)
        return status_fail(st, STATUS_INVALID,
                           "malformed JSON at byte 0: the document is empty");
    if (prescan_document(text, stripped, &trailing_at, st))
        return true;
    if (trailing_at > 0 && !has_header)
        return status_fail(st, STATUS_INVALID,
                           "%zu bytes follow the JSON document, which ends at "
                           "byte %zu: binary tensors need the header "
                           "Inference-Header-Content-Length",
                           text->len - trailing_at, trailing_at);
    return false;
}

static bool read_id(const json_t *root, struct document_instance *instance,
                    struct status *st)
{
    json_t *id = field_get(root, "id");

    instance->id = NULL;
    instance->id_len = 0;
    if (!id)
        return true;
    if (!json_is_string(id))
        return field_fail("", "id", id, "a string", st);
    instance->id_len = json_string_length(id);
    instance->id = instance->id_len > 0 ? json_string_value(id) : NULL;
    return true;
}

static bool read_parameters(const json_t *root, struct document *doc,
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
        field_parameter(key, value, &doc->parameters[doc->parameter_count++]);
    }
    return true;
}

static bool read_root(const json_t *root, struct document *doc,
                      struct document_instance *instance, struct status *st)
{
    return read_id(root, instance, st) && read_parameters(root, doc, st) &&
           tensors_read_inputs(root, doc, st) &&
           tensors_read_outputs(root, doc, st);
}

static struct document *read_stripped(const struct stripped_document *stripped,
                                      struct document_instance *instance,
                                      struct status *st)
{
    struct document *doc = document_new(0);

    if (!doc) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    doc->tree = json_load_stripped(stripped, &doc->tree_bytes, st);
    if (doc->tree && read_root(doc->tree, doc, instance, st))
        return doc;
    document_unref(doc);
    return NULL;
}

struct document *document_read(const struct document_source *source,
                               struct document_instance *instance,
                               struct status *st)
{
    const struct document_text *text = &source->text;
    struct stripped_document stripped;
    struct document *doc = NULL;

    instance->text = text->text;
    if (source->cache)
        doc = document_cache_find(source->cache, text, instance);
    if (doc)
        return doc;
    if (!strip(text, source->has_header, &stripped, st))
        return NULL;
    doc = read_stripped(&stripped, instance, st);
    if (doc) {
        memcpy(instance->spans, stripped.spans, sizeof(instance->spans));
        if (source->cache)
            document_cache_add(source->cache, text, &stripped, instance, doc);
    }
    prescan_free(&stripped);
    return doc;
}
