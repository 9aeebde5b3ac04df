#include "api/document/json_load.h"

#include <ctype.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/base/mistake.h"
#include "api/document/field.h"
#include "api/lex/number_token.h"
#include "api/number/number.h"
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

/* The numbers of a text, one after the other. */
struct numbers {
    const char *at, *end;
    const char *text; /* the last one */
    size_t len;
    enum integer_kind kind;
    bool is_plain; /* digits and a sign, in the range of json_int_t */
};

/* Finds the next number; false at the end. In a malformed text it may find
 * something else. */
static bool next_number(struct numbers *n)
{
    while (n->at < n->end) {
        const char *start = n->at;
        struct number_token token;
        int64_t value;

        if (*start == '"') {
            const char *after = scan_string_end(start + 1, n->end);

            n->at = after ? after : n->end;
        } else if (*start == '-' || scan_is_digit(*start)) {
            token = number_token_read(start, n->end);
            n->at = token.end > start ? token.end : start + 1;
            n->text = start;
            n->len = (size_t)(n->at - start);
            /* A malformed one is left to jansson. */
            n->kind = token.why ? INTEGER_FRACTION
                                : integer_read(start, n->len, &value);
            n->is_plain =
                !token.fraction && !token.exponent && n->kind == INTEGER_EXACT;
            return true;
        } else {
            n->at++;
        }
    }
    return false;
}

static struct numbers list_numbers(const char *text, struct data_span part)
{
    return (struct numbers){.at = text + part.start,
                            .end = text + part.start + part.len};
}

/* jansson refuses a text with numbers past its range. Where there are any,
 * *copy gets a copy with 0.0 in their place, which the caller frees. False
 * without memory. */
static bool replace_numbers(const char *text, size_t len, struct data_span part,
                            char **copy)
{
    struct numbers n = list_numbers(text, part);

    *copy = NULL;
    while (next_number(&n)) {
        size_t at = (size_t)(n.text - text), sign = *n.text == '-';

        if (n.kind != INTEGER_TOO_LARGE)
            continue;
        if (!*copy) {
            *copy = malloc(len);
            if (!*copy)
                return false;
            memcpy(*copy, text, len);
        }
        memset(*copy + at + sign, ' ', n.len - sign);
        memcpy(*copy + at + sign, "0.0", 3);
    }
    return true;
}

/* The text of the next number that jansson read as a real one, as field.h says;
 * NULL without memory. */
static json_t *next_real(struct numbers *n)
{
    json_t *text = NULL;
    char *token;

    while (next_number(n) && n->is_plain)
        ;
    token = malloc(1 + n->len);
    if (token) {
        token[0] = FIELD_NUMBER;
        memcpy(token + 1, n->text, n->len);
        text = json_stringn_nocheck(token, 1 + n->len);
    }
    free(token);
    return text;
}

/* Puts their texts in the place of the real numbers of an array or object,
 * which has the text's order; false without memory. Recursion is as deep as
 * jansson's. */
static bool restore_numbers(json_t *tree, struct numbers *n)
{
    void *at = json_object_iter(tree);
    bool is_array = json_is_array(tree), ok = true;

    for (size_t i = 0; ok && n->at < n->end; i++) {
        json_t *value =
            is_array ? json_array_get(tree, i) : json_object_iter_value(at);

        if (!value)
            break;
        if (json_is_array(value) || json_is_object(value))
            ok = restore_numbers(value, n);
        else if (json_is_real(value))
            ok = (is_array
                      ? json_array_set_new(tree, i, next_real(n))
                      : json_object_iter_set_new(tree, at, next_real(n))) == 0;
        at = is_array ? NULL : json_object_iter_next(tree, at);
    }
    return ok;
}

static json_t *parse(const char *text, size_t len, struct data_span numbers,
                     struct account *account, json_error_t *error)
{
    struct numbers n = list_numbers(text, numbers);
    json_t *tree = NULL;
    char *copy;

    if (!replace_numbers(text, len, numbers, &copy))
        account->failed = true;
    else
        tree = json_loadb(copy ? copy : text, len,
                          JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, error);
    free(copy);
    if (!tree || numbers.len == 0)
        return tree;
    /* The scanner has gone: no block is its token any more. */
    account->token = account;
    account->token_size = 0;
    account->failed |= !restore_numbers(tree, &n);
    return tree;
}

static json_t *load(const char *text, size_t len, struct data_span numbers,
                    const struct api_heap *heap, size_t *bytes,
                    json_error_t *error)
{
    struct account account = {.heap = heap, .granted = API_HEAP_FREE};
    json_t *tree;

    current = &account;
    tree = parse(text, len, numbers, &account, error);
    current = NULL;
    *bytes = account.bytes;
    if (!account.failed)
        return tree;
    json_decref(tree);
    *error = (json_error_t){.line = -1};
    return NULL;
}

json_t *json_load_text(const char *text, size_t len, bool has_numbers,
                       json_error_t *error)
{
    size_t bytes;

    return load(text, len, (struct data_span){0, has_numbers ? len : 0}, NULL,
                &bytes, error);
}

const char *json_load_hint(const char *text, size_t len,
                           const json_error_t *error)
{
    const char *start = text, *at = text;

    if (error->position > 0 && (size_t)error->position <= len)
        at += error->position - 1;
    while (at > start && isalnum((unsigned char)*at) &&
           isalnum((unsigned char)at[-1]))
        at--;
    return mistake_hint(start, at, text + len);
}

/* Fails with the parser's error; returns NULL. */
static json_t *fail(const struct stripped_document *stripped,
                    const json_error_t *error, struct status *st)
{
    if (error->line < 0)
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    else
        status_fail(st, STATUS_INVALID, "malformed JSON at byte %zu: %s%s",
                    prescan_origin(stripped, (size_t)error->position),
                    error->text,
                    json_load_hint(stripped->text, stripped->len, error));
    return NULL;
}

/* The pre-scan has found an object. */
static json_t *load_object(const struct stripped_document *stripped,
                           const struct api_heap *heap, size_t *bytes,
                           struct status *st)
{
    json_error_t error;
    json_t *tree;

    tree = load(stripped->text, stripped->len, stripped->numbers, heap, bytes,
                &error);
    if (tree)
        return tree;
    return fail(stripped, &error, st);
}

json_t *json_load_stripped(const struct stripped_document *stripped,
                           const struct api_heap *heap, size_t *bytes,
                           struct status *st)
{
    size_t held =
        stripped->len * (1 + TEXT_SHARE + (size_t)(stripped->numbers.len > 0));

    if (held > API_HEAP_FREE && !api_heap_take(heap, held)) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    return load_object(stripped, heap, bytes, st);
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
    root = load_object(&stripped, NULL, &bytes, st);
    prescan_free(&stripped);
    return root;
}
