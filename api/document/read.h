/* Reads an infer document: out of a cache, or with pre-scan and jansson. */
#pragma once

#include "api/document/cache.h"
#include "api/document/document.h"

/* Reads a whole document and sets `instance`; `cache` and `heap` may be NULL,
 * and are the request's (api.h). The caller
 * gets a reference; NULL with INVALID, TOO_LARGE or NO_MEMORY. The text must
 * outlive `instance`, not the document. */
struct document *document_read(const struct document_text *text,
                               struct document_cache *cache,
                               const struct api_heap *heap,
                               struct document_instance *instance,
                               struct status *st);
