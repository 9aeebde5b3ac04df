#include "api/document/json_load.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/document/field.h"
#include "api/lex/scan.h"
#include "api/prescan/prescan.h"

enum {
    /* Bytes of a body other than an inference; jansson needs many times its
     * size. */
    BODY_MAX = 64 << 10,
    /* A token, in a block of up to twice its size, while that replaces one of
     * half the size. */
    TEXT_SHARE = 3,
};

/* The memory of one parse. */
struct account {
    size_t bytes;                /* that jansson holds */
    const struct api_heap *heap; /* asked for more; NULL: without a bound */
    size_t granted;              /* bytes that need not be asked for */
    /* When an allocation fails inside its scanner, jansson 2.14 either drops
     * the current character and goes on, or calls it an invalid token. So a
     * tree that lacked memory is not trusted, and the client is not blamed.
     * Nor does it get any more: when it has dropped the end of a string, it
     * copies what follows in the heap to the memory that it asks for next. */
    bool failed;
    /* The scanner's copy of the token at hand: its first block, which is then
     * replaced by one of twice the size. It aborts the process when it has to
     * take a character back that it could not keep, so these blocks are paid
     * for before the parse: TEXT_SHARE times the text. */
    const void *token;
    const void *grown; /* the last block of twice the size */
    size_t token_size;
};

/* Of the parse that the calling thread is in, or NULL. The hooks get no context
 * of their own. */
static _Thread_local struct account *current;

/* Asks for steps of API_HEAP_FREE, or for all of a larger block. */
static bool may_take(struct account *account, size_t size)
{
    size_t more = size > API_HEAP_FREE ? size : API_HEAP_FREE;

    if (!account || size == 2 * account->token_size ||
        account->bytes + size <= account->granted)
        return true;
    if (!api_heap_take(account->heap, more))
        return false;
    account->granted += more;
    return true;
}

static void note(struct account *account, void *block, size_t size)
{
    account->bytes += malloc_usable_size(block);
    if (!account->token) {
        account->token = block;
        account->token_size = size;
    } else if (size == 2 * account->token_size) {
        account->grown = block;
    }
}

static void forget(struct account *account, void *block)
{
    account->bytes -= malloc_usable_size(block);
    if (block != account->token)
        return;
    account->token = account->grown;
    account->token_size *= 2;
}

static void *allocate(size_t size)
{
    bool failed = current && current->failed;
    void *block = !failed && may_take(current, size) ? malloc(size) : NULL;

    if (current && block)
        note(current, block, size);
    else if (current)
        current->failed = true;
    return block;
}

static void release(void *block)
{
    if (current && block)
        forget(current, block);
    free(block);
}

void api_init(void)
{
    json_set_alloc_funcs(allocate, release);
}

static json_t *load(const char *text, size_t len, const struct api_heap *heap,
                    size_t *bytes, json_error_t *error)
{
    struct account account = {.heap = heap, .granted = API_HEAP_FREE};
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

    return load(text, len, NULL, &bytes, error);
}

/* Fails with the parser's error, at byte `at`; returns NULL. */
static json_t *fail(const json_error_t *error, size_t at, struct status *st)
{
    if (error->line < 0)
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    else if (json_error_code(error) == json_error_numeric_overflow)
        status_fail(st, STATUS_INVALID,
                    "the number that ends at byte %zu is out of range: %s", at,
                    error->text);
    else
        status_fail(st, STATUS_INVALID, "malformed JSON at byte %zu: %s", at,
                    error->text);
    return NULL;
}

/* The tree when it is an object; else NULL, and the tree is freed. */
static json_t *check_object(json_t *tree, const char *what, struct status *st)
{
    if (json_is_object(tree))
        return tree;
    status_fail(st, STATUS_INVALID, "the %s is %s, but it must be an object",
                what, field_type(tree));
    json_decref(tree);
    return NULL;
}

/* The byte behind the number at `text`, which starts with a digit or '-'. An
 * integer past 63 bits becomes a real number of the same length and about the
 * same value: so a sequence_id of 64 bits, which is ignored, is accepted; a
 * field that wants an integer refuses it. */
static char *widen_number(char *text)
{
    const char *limit =
        *text == '-' ? "9223372036854775808" : "9223372036854775807";
    char *start = text + (*text == '-');
    size_t digits = strspn(start, "0123456789"), limit_len = strlen(limit);
    char *after = start + digits;

    if ((digits > limit_len ||
         (digits == limit_len && memcmp(start, limit, digits) > 0)) &&
        *after != '.' && (*after | 0x20) != 'e')
        memcpy(after - 3, "e+3", 3);
    return after + strspn(after, "0123456789.eE+-");
}

static void widen_numbers(const struct stripped_document *stripped)
{
    char *at = stripped->text, *end = at + stripped->len;

    while (at < end) {
        if (*at == '"') {
            const char *after = scan_string_end(at + 1, end);

            at = after ? at + (after - at) : end;
        } else if (*at == '-' || scan_is_digit(*at)) {
            at = widen_number(at);
        } else {
            at++;
        }
    }
}

/* `what` the text is, for errors. */
static json_t *load_object(const struct stripped_document *stripped,
                           const char *what, const struct api_heap *heap,
                           size_t *bytes, struct status *st)
{
    json_error_t error;
    json_t *tree;

    if (stripped->long_number)
        widen_numbers(stripped);
    tree = load(stripped->text, stripped->len, heap, bytes, &error);
    if (tree)
        return check_object(tree, what, st);
    return fail(&error, prescan_origin(stripped, (size_t)error.position), st);
}

json_t *json_load_stripped(const struct stripped_document *stripped,
                           const struct api_heap *heap, size_t *bytes,
                           struct status *st)
{
    size_t held = stripped->len * (1 + TEXT_SHARE);

    if (held > API_HEAP_FREE && !api_heap_take(heap, held)) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    return load_object(stripped, "document", heap, bytes, st);
}

json_t *json_load_body(const unsigned char *body, size_t len, struct status *st)
{
    /* A body without a byte may be NULL, which prescan_document() does not
     * take. */
    const struct document_text document = {.text = len > 0 ? (const char *)body
                                                           : "",
                                           .len = len,
                                           .has_header = true,
                                           .is_plain = true};
    struct stripped_document stripped;
    json_t *root;
    size_t bytes;

    if (len > BODY_MAX) {
        status_fail(st, STATUS_TOO_LARGE,
                    "the body has %zu bytes, but this route takes %d at most",
                    len, BODY_MAX);
        return NULL;
    }
    if (!prescan_document(&document, &stripped, st))
        return NULL;
    root = load_object(&stripped, "body", NULL, &bytes, st);
    prescan_free(&stripped);
    return root;
}
