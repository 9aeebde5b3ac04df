#include "api/document/document.h"

#include <jansson.h>
#include <stdlib.h>

struct document *document_new(size_t extra, struct status *st)
{
    struct document *doc = calloc(1, sizeof(*doc) + extra);

    if (doc)
        atomic_init(&doc->references, 1);
    else
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    return doc;
}

struct document *document_ref(struct document *doc)
{
    atomic_fetch_add_explicit(&doc->references, 1, memory_order_relaxed);
    return doc;
}

void document_unref(struct document *doc)
{
    if (!doc || atomic_fetch_sub(&doc->references, 1) > 1)
        return;
    json_decref(doc->tree);
    free(doc);
}
