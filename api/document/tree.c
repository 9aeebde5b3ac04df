/* The skeleton through jansson's parser. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "api/document/clamp_numbers.h"
#include "api/document/field.h"

/* Of what is no inference; jansson needs many times its size. */
enum { SMALL_BODY = 64 << 10 };

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

json_t *document_load(const char *text, size_t len, json_error_t *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
    json_t *tree;

    pthread_once(&once, take_allocations);
    lacked_memory = false;
    bytes = 0;
    tree = json_loadb(text, len, flags, error);
    if (!lacked_memory)
        return tree;
    json_decref(tree);
    *error = (json_error_t){.line = -1};
    return NULL;
}

json_t *document_body(const struct api_request *request, struct status *st)
{
    json_error_t error = {.line = 0};
    json_t *root = NULL;
    /* No body may be no pointer either, which is no text to jansson. */
    const char *text = request->body_len ? (const char *)request->body : "";

    if (request->body_len <= SMALL_BODY)
        root = document_load(text, request->body_len, &error);
    if (request->body_len > SMALL_BODY)
        status_fail(st, STATUS_TOO_LARGE,
                    "the body has %zu bytes, but this route takes %d at most",
                    request->body_len, SMALL_BODY);
    else if (!root && error.line < 0)
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    else if (!root)
        status_fail(st, STATUS_INVALID, "malformed JSON at byte %d: %s",
                    error.position, error.text);
    return root;
}

bool document_tree(const struct json_skim *skim, struct document *doc,
                   struct status *st)
{
    json_error_t error;
    size_t at;

    doc->tree = document_load(skim->skeleton, skim->len, &error);
    if (!doc->tree && error.line >= 0 &&
        json_error_code(&error) == json_error_numeric_overflow &&
        json_overflow_soften(skim->skeleton, skim->len))
        doc->tree = document_load(skim->skeleton, skim->len, &error);
    doc->tree_bytes = bytes;
    if (!doc->tree && error.line < 0)
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
