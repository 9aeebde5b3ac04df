/* The skeleton through jansson's parser. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "api/document_field.h"

/* When an allocation fails inside its scanner, jansson 2.14 either drops the
 * character at hand and goes on, or calls it an invalid token. So a tree that
 * lacked memory is not to be trusted, nor the client to be blamed. */
static _Thread_local bool lacked_memory;

/* What jansson holds of what this thread gave it. */
static _Thread_local size_t bytes;

static void *allocate(size_t size)
{
    void *block = malloc(size);

    if (block)
        bytes += malloc_usable_size(block);
    else
        lacked_memory = true;
    return block;
}

static void release(void *block)
{
    bytes -= malloc_usable_size(block);
    free(block);
}

static void take_allocations(void)
{
    json_set_alloc_funcs(allocate, release);
}

bool document_tree(const struct json_skim *skim, struct document *doc,
                   struct status *st)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
    json_error_t error;
    size_t at;

    pthread_once(&once, take_allocations);
    lacked_memory = false;
    bytes = 0;
    doc->tree = json_loadb(skim->skeleton, skim->len, flags, &error);
    doc->tree_bytes = bytes;
    if (lacked_memory)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    if (json_is_object((json_t *)doc->tree))
        return true;
    if (doc->tree)
        return status_fail(st, STATUS_INVALID,
                           "the document is %s, but it must be an object",
                           field_type(doc->tree));
    at = json_skim_origin(skim, (size_t)error.position);
    return status_fail(st, STATUS_INVALID, "malformed JSON at byte %zu: %s", at,
                       error.text);
}
