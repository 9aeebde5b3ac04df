/* Reads an infer document: out of a cache, or with pre-scan and jansson. */
#pragma once

#include "api/document/cache.h"
#include "api/document/document.h"

struct document_source {
    struct document_text text;
    /* The request had an Inference-Header-Content-Length. When it was missing,
     * an error about bytes behind the document names that header. */
    bool has_header;
    struct document_cache *cache; /* borrowed; NULL: none */
};

/* Reads a whole document and sets `instance`. The caller gets a reference; NULL
 * with INVALID, TOO_LARGE or NO_MEMORY. The text must outlive `instance`, not
 * the document. */
struct document *document_read(const struct document_source *source,
                               struct document_instance *instance,
                               struct status *st);
