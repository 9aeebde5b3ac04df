#include "tests/api/document/cached.h"

#include <check.h>
#include <string.h>

#include "api/document/read.h"

struct document *cached_read(struct document_cache *cache, const char *text)
{
    const struct document_text source = {.text = text, .len = strlen(text)};
    struct document_instance instance;
    struct status st = {.message = ""};
    struct document *doc = document_read(&source, cache, NULL, &instance, &st);

    ck_assert_msg(doc != NULL, "%s: %s", text, st.message);
    return doc;
}

void cached_add(struct document_cache *cache, const char *text)
{
    document_unref(cached_read(cache, text));
}

struct document *cached_find(const struct document_cache *cache,
                             const char *text, size_t len,
                             struct document_instance *instance)
{
    const struct document_text document = {.text = text, .len = len};

    return document_cache_find(cache, &document, instance);
}

bool cached_has(const struct document_cache *cache, const char *text)
{
    struct document_instance instance;
    struct document *doc = cached_find(cache, text, strlen(text), &instance);

    document_unref(doc);
    return doc != NULL;
}
