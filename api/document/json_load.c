#include "api/document/json_load.h"

#include <malloc.h>
#include <stdlib.h>

#include "api/document/clamp_numbers.h"
#include "api/document/field.h"

/* Bytes of a body other than an inference; jansson needs many times its size.
 */
enum { BODY_MAX = 64 << 10 };

/* The memory of one parse. */
struct account {
    size_t bytes; /* that jansson holds */
    /* When an allocation fails inside its scanner, jansson 2.14 either drops
     * the current character and goes on, or calls it an invalid token. So a
     * tree that lacked memory is not trusted, and the client is not blamed. */
    bool failed;
};

/* Of the parse that the calling thread is in, or NULL. The hooks get no context
 * of their own. */
static _Thread_local struct account *current;

static void *allocate(size_t size)
{
    void *block = malloc(size);

    if (current && block)
        current->bytes += malloc_usable_size(block);
    else if (current)
        current->failed = true;
    return block;
}

static void release(void *block)
{
    if (current)
        current->bytes -= malloc_usable_size(block);
    free(block);
}

void json_load_install_allocator(void)
{
    json_set_alloc_funcs(allocate, release);
}

static json_t *load(const char *text, size_t len, size_t *bytes,
                    json_error_t *error)
{
    struct account account = {0};
    json_t *tree;

    current = &account;
    tree =
        json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, error);
    current = NULL;
    *bytes = account.bytes;
    if (!account.failed)
        return tree;
    json_decref(tree);
    *error = (json_error_t){.line = -1};
    return NULL;
}

json_t *json_load_text(const char *text, size_t len, json_error_t *error)
{
    size_t bytes;

    return load(text, len, &bytes, error);
}

json_t *json_load_body(const unsigned char *body, size_t len, struct status *st)
{
    json_error_t error = {.line = 0};
    json_t *root = NULL;
    /* An empty body may be NULL, which jansson does not take for a text. */
    const char *text = len > 0 ? (const char *)body : "";

    if (len > BODY_MAX) {
        status_fail(st, STATUS_TOO_LARGE,
                    "the body has %zu bytes, but this route takes %d at most",
                    len, BODY_MAX);
        return NULL;
    }
    root = json_load_text(text, len, &error);
    if (!root && error.line < 0)
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    else if (!root)
        status_fail(st, STATUS_INVALID, "malformed JSON at byte %d: %s",
                    error.position, error.text);
    return root;
}

static void refuse(const struct stripped_document *stripped,
                   const json_error_t *error, struct status *st)
{
    size_t at;

    if (error->line < 0) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return;
    }
    at = stripped_origin(stripped, (size_t)error->position);
    status_fail(st, STATUS_INVALID, "malformed JSON at byte %zu: %s", at,
                error->text);
}

json_t *json_load_stripped(const struct stripped_document *stripped,
                           size_t *bytes, struct status *st)
{
    json_error_t error;
    json_t *tree = load(stripped->text, stripped->len, bytes, &error);

    if (!tree && error.line >= 0 &&
        json_error_code(&error) == json_error_numeric_overflow &&
        clamp_numbers(stripped->text, stripped->len))
        tree = load(stripped->text, stripped->len, bytes, &error);
    if (!tree) {
        refuse(stripped, &error, st);
        return NULL;
    }
    if (json_is_object(tree))
        return tree;
    status_fail(st, STATUS_INVALID,
                "the document is %s, but it must be an object",
                field_type(tree));
    json_decref(tree);
    return NULL;
}
