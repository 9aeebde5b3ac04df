#include "api/document/read.h"

#include <string.h>

#include "api/document/field.h"
#include "api/document/json_load.h"
#include "api/document/misplaced.h"
#include "api/document/tensors.h"
#include "api/prescan/prescan.h"

static bool read_id(const json_t *root, struct document_instance *instance,
                    struct status *st)
{
    json_t *id = field_get(root, "id");

    instance->id = NULL;
    instance->id_len = 0;
    if (!id)
        return true;
    if (!field_is_string(id))
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
        if (!misplaced_pass_value(key, value, "parameters", st))
            return false;
        field_parameter(key, value, &doc->parameters[doc->parameter_count++]);
    }
    return true;
}

static bool read_members(json_t *root, struct document *doc,
                         struct document_instance *instance, struct status *st)
{
    static const char *const known[] = {"inputs", "parameters", "outputs", "id",
                                        NULL};

    return read_id(root, instance, st) && read_parameters(root, doc, st) &&
           tensors_read(root, doc, st) &&
           misplaced_pass_members(root, known, 0, "", st);
}

static struct document *read_stripped(const struct stripped_document *stripped,
                                      const struct api_heap *heap,
                                      struct document_instance *instance,
                                      struct status *st)
{
    struct document *doc = document_new(0, st);

    if (doc)
        doc->tree = json_load_stripped(stripped, heap, &doc->tree_bytes, st);
    if (doc && doc->tree && read_members(doc->tree, doc, instance, st))
        return doc;
    document_unref(doc);
    return NULL;
}

struct document *document_read(const struct document_text *text,
                               struct document_cache *cache,
                               const struct api_heap *heap,
                               struct document_instance *instance,
                               struct status *st)
{
    struct stripped_document stripped;
    struct document *doc = NULL;

    instance->text = text->text;
    if (cache)
        doc = document_cache_find(cache, text, instance);
    if (doc)
        return doc;
    if (!prescan_document(text, &stripped, st))
        return NULL;
    doc = read_stripped(&stripped, heap, instance, st);
    if (doc) {
        memcpy(instance->spans, stripped.spans, sizeof(instance->spans));
        if (cache)
            document_cache_add(cache, text, &stripped, instance, doc);
    }
    prescan_free(&stripped);
    return doc;
}
