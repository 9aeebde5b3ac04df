#include "api/document/tree.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/text.h"
#include "api/lex/numbers.h"
#include "api/lex/scan.h"
#include "api/number/number.h"
#include "kernels/core/require.h"
#include "kernels/core/size.h"

enum {
    BODY_MAX = 64 << 10,   /* bytes of a body that is no infer document */
    FIRST_BLOCK = 4 << 10, /* bytes */
    FEW = 16,              /* members that are compared each with each */
    QUOTED = 20,           /* bytes of a token that errors quote at most */
};

struct tree_block {
    struct tree_block *next;
    size_t unused; /* keeps what follows aligned */
};

/* What the value at hand is in an infer document. */
enum place {
    PLACE_OTHER,
    PLACE_DOCUMENT,
    PLACE_INPUTS, /* the list */
    PLACE_INPUT,
};

struct reader {
    const struct tree_text *source;
    struct tree *tree;
    struct status *st;
    const char *text, *at, *end;
    int depth;
    int values_left; /* that may still be read */
    size_t data_bytes;
    size_t input; /* index in the list of inputs */
};

static bool take_none(void *context, size_t bytes)
{
    (void)context;
    (void)bytes;
    return false;
}

const struct api_heap tree_no_heap = {take_none, NULL};

void tree_init(struct tree *tree, void *room, size_t size)
{
    *tree = (struct tree){.granted = API_HEAP_FREE};
    if (room) {
        tree->free = room;
        tree->free_end = tree->free + size;
    }
}

void tree_free(struct tree *tree)
{
    while (tree->blocks) {
        struct tree_block *block = tree->blocks;

        tree->blocks = block->next;
        free(block);
    }
}

/* Each block is as large as all before it. Memory is asked for in steps of
 * API_HEAP_FREE, or for all of a larger block. */
static bool add_block(struct reader *r, size_t size)
{
    struct tree *tree = r->tree;
    size_t bytes = tree->bytes > FIRST_BLOCK ? tree->bytes : FIRST_BLOCK;
    struct tree_block *block;

    if (bytes < sizeof(*block) + size)
        bytes = sizeof(*block) + size;
    if (tree->bytes + bytes > tree->granted) {
        size_t more = size_max(bytes, API_HEAP_FREE);

        if (!api_heap_take(r->source->heap, more))
            return status_fail(r->st, STATUS_NO_MEMORY, "out of memory");
        tree->granted += more;
    }
    block = malloc(bytes);
    if (!block)
        return status_fail(r->st, STATUS_NO_MEMORY, "out of memory");
    block->next = tree->blocks;
    tree->blocks = block;
    tree->bytes += bytes;
    tree->free = (char *)(block + 1);
    tree->free_end = (char *)block + bytes;
    return true;
}

/* Memory of the tree, aligned to 8 bytes; NULL with NO_MEMORY. */
static inline void *take(struct reader *r, size_t size)
{
    struct tree *tree = r->tree;
    void *memory;

    size = (size + 7) & ~(size_t)7;
    if ((size_t)(tree->free_end - tree->free) < size && !add_block(r, size))
        return NULL;
    memory = tree->free;
    tree->free += size;
    return memory;
}

void *tree_take(struct tree *tree, size_t size, const struct api_heap *heap,
                struct status *st)
{
    const struct tree_text none = {.heap = heap};
    struct reader r = {.source = &none, .tree = tree, .st = st};

    return take(&r, size);
}

static size_t offset(const struct reader *r, const char *at)
{
    return (size_t)(at - r->text);
}

/* The value that starts at r->at, or its key; NULL with NO_MEMORY. */
static inline struct tree_value *new_value(struct reader *r)
{
    struct tree_value *v = take(r, sizeof(*v));

    if (v) {
        v->next = NULL;
        v->key = NULL;
        v->start = offset(r, r->at);
    }
    return v;
}

static bool fail(struct reader *r, const char *at, const char *reason)
{
    return status_fail(r->st, STATUS_INVALID, "malformed JSON at byte %zu: %s",
                       offset(r, at), reason);
}

/* Bytes that end a number or a word. */
static const bool ends_token[256] = {
    ['\0'] = true, [' '] = true, ['\t'] = true, ['\n'] = true,
    ['\r'] = true, ['"'] = true, [','] = true,  [':'] = true,
    ['['] = true,  [']'] = true, ['{'] = true,  ['}'] = true};

/* True where the token from `at` goes on behind `len` bytes, 1 or more. */
static bool goes_on(const char *at, size_t len)
{
    if (*at == '"')
        return len == 1 || at[len - 1] != '"';
    return !ends_token[(unsigned char)*at] &&
           !ends_token[(unsigned char)at[len]];
}

/* Bytes of the token at `at` that an error quotes: ASCII, or one character. */
static int quoted(const struct reader *r, const char *at)
{
    size_t left = (size_t)(r->end - at), len = 0;

    while (len < left && len < QUOTED && at[len] >= ' ' && at[len] < 0x7F &&
           (len == 0 || goes_on(at, len)))
        len++;
    return (int)(len > 0 ? len : utf8_length((const unsigned char *)at, left));
}

/* At a byte where `wanted` is expected: "a value is expected near 'None': it is
 * null in JSON, ...". `token` is where the token of that byte starts. */
static bool fail_token(struct reader *r, const char *token, const char *wanted)
{
    int len = quoted(r, token);

    return status_fail(
        r->st, STATUS_INVALID, "malformed JSON at byte %zu: %s%s%.*s%s%s",
        offset(r, r->at), wanted, len ? " near '" : "", len, token,
        len ? "'" : "", scan_mistake(r->text, token, r->end));
}

/* At the end, or a byte that the innermost array or object cannot have. */
static bool fail_expected(struct reader *r, bool object, const char *wanted)
{
    if (r->at == r->end)
        return fail(r, r->at, "the document ends too early");
    if (*r->at == '\0')
        return fail(r, r->at, "a NUL byte");
    if (*r->at == (object ? ']' : '}'))
        return fail(r, r->at,
                    object ? "']' closes an object" : "'}' closes an array");
    return fail_token(r, r->at, wanted);
}

/* Passes white space; returns the byte behind it, or NUL at the end. */
static inline char next(struct reader *r)
{
    for (; r->at < r->end; r->at++)
        if ((unsigned char)*r->at > ' ' || !scan_is_space(*r->at))
            return *r->at;
    return '\0';
}

/* `at` is as far as the text outside of the data arrays has come. */
static bool check_bytes(struct reader *r, const char *at)
{
    return offset(r, at) - r->data_bytes <= TREE_MAX_BYTES ||
           status_fail(r->st, STATUS_TOO_LARGE,
                       "the document has more than %d bytes outside of its "
                       "data arrays",
                       TREE_MAX_BYTES);
}

/* The values passed may be those of instances. */
static bool fail_values(struct reader *r)
{
    static const char first[] = "\"instances\"", second[] = "\"inputs\"";
    const char *text = r->text;
    const char *at = memmem(text, offset(r, r->at), first, sizeof(first) - 1);

    if (at && !memmem(text, offset(r, at), second, sizeof(second) - 1))
        return status_fail(r->st, STATUS_INVALID, TREE_INSTANCES);
    return status_fail(r->st, STATUS_INVALID,
                       "the document has more than %d values outside of its "
                       "data arrays, at byte %zu",
                       r->source->most_values, offset(r, r->at));
}

static inline bool count_value(struct reader *r)
{
    return --r->values_left >= 0 || fail_values(r);
}

/* Copies the string at r->at up to its closing quote, in blocks, as long as it
 * is plain ASCII without escapes. False for any other string, and one that is
 * near the end of the text or of the block of memory. */
static inline bool copy_plain(struct reader *r, const char **text, size_t *len)
{
    struct tree *tree = r->tree;
    const char *at = r->at + 1;
    char *to = tree->free;
    size_t most =
        size_min((size_t)(r->end - at), (size_t)(tree->free_end - to));

    for (size_t i = 0; i + SCAN_BLOCK <= most; i += SCAN_BLOCK) {
        uint64_t block = scan_load(at + i);
        uint64_t mask = scan_special(block);

        memcpy(to + i, &block, SCAN_BLOCK);
        if (!mask)
            continue;
        i += scan_first(mask);
        if (at[i] != '"')
            return false;
        to[i] = '\0';
        *text = to;
        *len = i;
        tree->free = to + ((i + SCAN_BLOCK) & ~(size_t)(SCAN_BLOCK - 1));
        r->at = at + i + 1;
        return true;
    }
    return false;
}

/* Decodes the string at r->at. */
static bool decode(struct reader *r, const char **text, size_t *len)
{
    const char *start = r->at, *after = start, *why;
    char *copy;

    if (!scan_string(&after, r->end, &why)) {
        bool closed = scan_string_end(start + 1, r->end);

        return fail(r, closed ? after : start,
                    closed ? why : "a string is not closed");
    }
    if (!check_bytes(r, after))
        return false;
    copy = take(r, (size_t)(after - start));
    if (!copy)
        return false;
    *len = scan_decode(&r->at, after, (unsigned char *)copy);
    copy[*len] = '\0';
    *text = copy;
    return true;
}

/* Reads most numbers: at most 18 digits, and not at the end of the text. */
static inline bool read_digits(struct reader *r, struct tree_value *v)
{
    const char *at = r->at;
    int64_t value = 0;

    for (; at < r->end && at - r->at < 18 && scan_is_digit(*at); at++)
        value = value * 10 + (*at - '0');
    if (at == r->at || at == r->end || !ends_token[(unsigned char)*at] ||
        (*r->at == '0' && at - r->at > 1))
        return false;
    v->kind = TREE_INTEGER;
    v->integer = value;
    r->at = at;
    return true;
}

static bool read_number(struct reader *r, const char *after,
                        struct tree_value *v)
{
    const char *start = r->at;
    const struct number_token token = number_token_read(start, after);
    char *copy;

    v->len = (size_t)(token.end - start);
    r->at = token.end;
    if (token.why)
        return fail_token(r, start, token.why);
    v->kind = TREE_INTEGER;
    if (!token.fraction && !token.exponent &&
        integer_read(start, v->len, &v->integer) == INTEGER_EXACT)
        return true;
    v->kind = TREE_NUMBER;
    v->text = copy = take(r, v->len + 1);
    if (!copy)
        return false;
    *(char *)mempcpy(copy, start, v->len) = '\0';
    return true;
}

static bool read_word(struct reader *r, size_t len, bool in_object,
                      struct tree_value *v)
{
    bool yes = len == 4 && memcmp(r->at, "true", 4) == 0;

    if (len == 4 && memcmp(r->at, "null", 4) == 0) {
        v->kind = TREE_NULL;
    } else if (yes || (len == 5 && memcmp(r->at, "false", 5) == 0)) {
        v->kind = TREE_BOOL;
        v->flag = yes;
    } else {
        return fail_expected(r, in_object, "a value is expected");
    }
    r->at += len;
    return true;
}

/* A number, a word, or what is no value. */
__attribute__((noinline)) static bool
read_scalar(struct reader *r, bool in_object, struct tree_value *v)
{
    const char *after = r->at;
    size_t len;

    if (read_digits(r, v))
        return true;
    while (after < r->end && !ends_token[(unsigned char)*after])
        after++;
    len = (size_t)(after - r->at);
    if (len > 0 && after == r->end) {
        r->at = after;
        return fail_expected(r, in_object, "");
    }
    if (len == 0 || !(*r->at == '-' || scan_is_digit(*r->at)))
        return read_word(r, len, in_object, v);
    if (len <= TREE_MAX_NUMBER)
        return read_number(r, after, v);
    return status_fail(r->st, STATUS_INVALID,
                       "the number at byte %zu has %zu characters, but the "
                       "limit outside of data arrays is %d",
                       offset(r, r->at), len, TREE_MAX_NUMBER);
}

static bool read_level(struct reader *r, enum place place,
                       struct tree_value *v);

/* Reads the value at r->at, which begins with `c` and is inside an object or an
 * array. */
LEX_INLINE bool read_value(struct reader *r, char c, enum place place,
                           bool in_object, struct tree_value *v)
{
    if (c == '{' || c == '[')
        return read_level(r, place, v);
    if (!count_value(r))
        return false;
    if (c != '"')
        return read_scalar(r, in_object, v);
    v->kind = TREE_STRING;
    return copy_plain(r, &v->text, &v->len) || decode(r, &v->text, &v->len);
}

/* The kind of value that starts with `c`, as errors name it; NULL for null and
 * bytes that start no value. */
static const char *kind_name(char c)
{
    if (c == '"')
        return "a string";
    if (c == '{')
        return "an object";
    if (c == 't' || c == 'f')
        return "a boolean";
    return c == '-' || scan_is_digit(c) ? "a number" : NULL;
}

/* Reads the member `data` of an input, whose value begins with `c`. */
static bool read_data(struct reader *r, char c, const struct tree_value *input,
                      struct tree_value *v)
{
    const struct validated_part *part = &r->source->scanned;
    const char *name = kind_name(c), *after = r->at + 1;

    if (name)
        return status_fail(r->st, STATUS_INVALID,
                           "inputs[%zu].data at byte %zu is %s, but it must be "
                           "an array",
                           r->input, offset(r, r->at), name);
    if (c != '[')
        return read_value(r, c, PLACE_OTHER, true, v);
    if (part->start > 0 && part->start == offset(r, r->at))
        after = r->text + part->validated_end;
    after = scan_list_end(after, r->end);
    if (!after) {
        r->tree->open = offset(r, r->at);
        r->tree->open_input = input;
        return fail(r, r->at, "the array is not closed");
    }
    v->kind = TREE_DATA;
    v->at = offset(r, r->at);
    v->bytes = (size_t)(after - r->at);
    r->data_bytes += v->bytes;
    r->at = after;
    return count_value(r);
}

static inline bool read_key(struct reader *r, struct tree_value *member)
{
    const char *start = r->at;
    size_t len;

    if (!copy_plain(r, &member->key, &len)) {
        if (!decode(r, &member->key, &len))
            return false;
        if (memchr(member->key, '\0', len))
            return fail(r, start, "a key holds a NUL character");
    }
    member->key_len = (uint32_t)len;
    return true;
}

/* Reads the member of an object at r->at into *link. */
static inline bool read_member(struct reader *r, enum place place,
                               struct tree_value *object,
                               struct tree_value **link)
{
    enum place inner = PLACE_OTHER;
    struct tree_value *member;
    char c;

    if (next(r) != '"')
        return fail_expected(r, true,
                             object->first ? "a key is expected"
                                           : "a key or '}' is expected");
    member = new_value(r);
    if (!member || !read_key(r, member))
        return false;
    if (next(r) != ':')
        return fail_expected(r, true, "':' is expected");
    r->at++;
    c = next(r);
    if (place == PLACE_DOCUMENT && tree_is(member, "inputs", 6))
        inner = PLACE_INPUTS;
    if (place == PLACE_INPUT && tree_is(member, "data", 4)
            ? !read_data(r, c, object, member)
            : !read_value(r, c, inner, true, member))
        return false;
    *link = member;
    return true;
}

static bool fail_twice(struct reader *r, const struct tree_value *member)
{
    return status_fail(r->st, STATUS_INVALID,
                       "malformed JSON at byte %zu: duplicate key '%.40s'",
                       member->start, member->key);
}

static int compare_keys(const void *one, const void *other)
{
    const struct tree_value *a = *(const struct tree_value *const *)one;
    const struct tree_value *b = *(const struct tree_value *const *)other;
    int order = (a->key_len > b->key_len) - (a->key_len < b->key_len);

    if (order == 0)
        order = memcmp(a->key, b->key, a->key_len);
    return order ? order : (a->start > b->start) - (a->start < b->start);
}

/* The same by sorting, in time that grows little faster than the text. */
static bool check_many_keys(struct reader *r, const struct tree_value *object)
{
    const struct tree_value **sorted = take(r, object->count * sizeof(*sorted));
    size_t count = 0;

    if (!sorted)
        return false;
    for (const struct tree_value *v = object->first; v; v = v->next)
        sorted[count++] = v;
    qsort(sorted, count, sizeof(*sorted), compare_keys);
    for (size_t i = 1; i < count; i++)
        if (tree_is(sorted[i], sorted[i - 1]->key, sorted[i - 1]->key_len))
            return fail_twice(r, sorted[i]);
    return true;
}

static bool check_keys(struct reader *r, const struct tree_value *object)
{
    if (object->count > FEW)
        return check_many_keys(r, object);
    for (const struct tree_value *v = object->first; v; v = v->next)
        for (const struct tree_value *w = object->first; w != v; w = w->next)
            if (tree_is(v, w->key, w->key_len))
                return fail_twice(r, v);
    return true;
}

/* Reads the entry of an array at r->at into *link. */
static inline bool read_entry(struct reader *r, enum place place,
                              const struct tree_value *array,
                              struct tree_value **link)
{
    enum place inner = PLACE_OTHER;
    char c = next(r);

    if (place == PLACE_INPUTS) {
        inner = PLACE_INPUT;
        r->input = array->count;
    }
    *link = new_value(r);
    return *link && read_value(r, c, inner, false, *link);
}

/* Reads the object or array at r->at. */
static bool read_level(struct reader *r, enum place place, struct tree_value *v)
{
    struct tree_value **link = &v->first;
    bool object = *r->at == '{';
    char close = object ? '}' : ']', c;

    if (r->depth == TREE_MAX_DEPTH)
        return status_fail(r->st, STATUS_INVALID,
                           "the document is nested more than %d deep, at byte "
                           "%zu",
                           TREE_MAX_DEPTH, offset(r, r->at));
    if (!count_value(r))
        return false;
    r->depth++;
    r->at++;
    v->kind = object ? TREE_OBJECT : TREE_ARRAY;
    v->first = NULL;
    v->count = 0;
    c = next(r);
    if (c != close)
        for (;; r->at++) {
            if (object ? !read_member(r, place, v, link)
                       : !read_entry(r, place, v, link))
                return false;
            link = &(*link)->next;
            v->count++;
            c = next(r);
            if (c != ',')
                break;
        }
    if (c != close)
        return fail_expected(r, object,
                             object ? "',' or '}' is expected"
                                    : "',' or ']' is expected");
    r->at++;
    r->depth--;
    return (!object || check_keys(r, v)) && check_bytes(r, r->at);
}

static bool read_text(struct reader *r)
{
    const struct tree_text *text = r->source;
    struct tree_value *root;

    r->at += foreign_mark(text->text, text->len);
    next(r);
    if (text->name && !foreign_is_object(text->text, text->len))
        return foreign_refuse(text->name, text->text, text->len, r->st);
    root = new_value(r);
    if (!root ||
        !read_level(r, text->is_infer ? PLACE_DOCUMENT : PLACE_OTHER, root))
        return false;
    r->tree->root = root;
    r->tree->end = offset(r, r->at);
    next(r);
    if (r->at == r->end)
        return true;
    /* Without the header, binary tensors may be meant. */
    if (!text->lacks_header)
        return fail(r, r->at, "bytes follow the document");
    return status_fail(r->st, STATUS_INVALID,
                       "%zu bytes follow the JSON document, which ends at "
                       "byte %zu: binary tensors need the header "
                       "Inference-Header-Content-Length: %zu",
                       text->len - r->tree->end, r->tree->end, r->tree->end);
}

bool tree_read(struct tree *tree, const struct tree_text *text,
               struct status *st)
{
    struct reader r = {.source = text,
                       .tree = tree,
                       .st = st,
                       .values_left = text->most_values,
                       .text = text->text,
                       .at = text->text,
                       .end = text->text + text->len};
    bool ok = read_text(&r);

    REQUIRE(r.at <= r.end && r.depth >= 0);
    REQUIRE(!ok || r.depth == 0);
    tree->fault = offset(&r, r.at);
    return ok;
}

bool tree_read_own(struct tree *tree, const void *text, size_t len,
                   struct status *st)
{
    const struct tree_text source = {
        .text = text, .len = len, .most_values = INT_MAX};

    tree_init(tree, NULL, 0);
    return tree_read(tree, &source, st);
}

bool tree_read_body(struct tree *tree, const struct api_request *request,
                    struct status *st)
{
    /* A body without a byte may be NULL. */
    const struct tree_text text = {
        .text = request->body_len > 0 ? (const char *)request->body : "",
        .len = request->body_len,
        .name = "body",
        .most_values = TREE_MAX_VALUES,
    };

    tree_init(tree, NULL, 0);
    if (text.len > BODY_MAX)
        return status_fail(st, STATUS_TOO_LARGE,
                           "the body has %zu bytes, but this route takes %d at "
                           "most",
                           text.len, BODY_MAX);
    return tree_read(tree, &text, st);
}
