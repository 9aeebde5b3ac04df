/* A cache of documents, as its tests use it. */
#pragma once

#include <stdbool.h>

#include "api/document/cache.h"

#define CACHED_INPUT(data)                                                     \
    "{\"name\":\"a\",\"datatype\":\"INT8\",\"shape\":[2],\"data\":" data "}"

/* Reads a document, which adds it; the test fails when it is refused. The
 * caller gets a reference. */
struct document *cached_read(struct document_cache *cache, const char *text);

/* The same without a reference for the caller. */
void cached_add(struct document_cache *cache, const char *text);

/* document_cache_find() for `len` bytes. */
struct document *cached_find(const struct document_cache *cache,
                             const char *text, size_t len,
                             struct document_instance *instance);

/* True if the cache has a document for the text. */
bool cached_has(const struct document_cache *cache, const char *text);
