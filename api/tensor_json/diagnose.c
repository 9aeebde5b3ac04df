#include "api/tensor_json/parser.h"

#include <stdio.h>

#include "api/lex/numbers.h"
#include "api/lex/scan.h"
#include "kernels/core/status.h"

enum value_kind {
    VALUE_MALFORMED,
    VALUE_INTEGER,
    VALUE_NUMBER, /* with fraction, exponent, or not finite */
    VALUE_BOOL,
    VALUE_STRING,
    VALUE_NULL,
    VALUE_OBJECT,
    VALUE_LIST,
};

/* One JSON value of any kind, read byte by byte: what stands in the place of
 * an element. */
struct value {
    enum value_kind kind;
    const char *end; /* of the value, or the byte that is wrong */
    const char *why; /* VALUE_MALFORMED: what is wrong; static */
};

static bool read_word(const char *text, struct value *value)
{
    static const struct {
        const char *word;
        enum value_kind kind;
    } words[] = {
        {"true", VALUE_BOOL},       {"false", VALUE_BOOL},
        {"null", VALUE_NULL},       {"NaN", VALUE_NUMBER},
        {"Infinity", VALUE_NUMBER}, {"-Infinity", VALUE_NUMBER},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *end = scan_literal(text, words[i].word);

        if (!end)
            continue;
        *value = (struct value){.kind = words[i].kind, .end = end};
        return true;
    }
    return false;
}

/* Reads the value at `text`, in an array that ends at `end`; of an object and a
 * list only the first byte. */
static struct value read_value(const char *text, const char *end)
{
    struct value value = {VALUE_MALFORMED, text, "a value is expected"};

    if (read_word(text, &value))
        return value;
    if (*text == '-' || scan_is_digit(*text)) {
        const struct number_token t = number_token_read(text, end);

        value.end = t.end;
        value.why = t.why;
        if (!t.why)
            value.kind =
                t.fraction || t.exponent ? VALUE_NUMBER : VALUE_INTEGER;
    } else if (*text == '{') {
        value.kind = VALUE_OBJECT;
    } else if (*text == '[') {
        value.kind = VALUE_LIST;
    } else if (*text == '"' && scan_string(&value.end, end, &value.why)) {
        value.kind = VALUE_STRING;
    }
    return value;
}

static size_t byte_of(const struct parser *p, const char *at)
{
    return p->array->origin + (size_t)(at - p->array->text);
}

/* Index of the element that token number `token` is a part of. */
static unsigned long long index_of(const struct parser *p, uint64_t token)
{
    return token / p->per_element;
}

bool diagnose_byte(const struct parser *p, const char *at, const char *what)
{
    uint64_t tokens = p->tokens;

    if (tokens == 0)
        return status_fail(p->st, STATUS_INVALID,
                           "malformed JSON at byte %zu: %s, in data of '%s'",
                           byte_of(p, at), what, p->array->name);
    return status_fail(p->st, STATUS_INVALID,
                       "malformed JSON at byte %zu: %s, behind data[%llu] of "
                       "'%s'",
                       byte_of(p, at), what, index_of(p, tokens - 1),
                       p->array->name);
}

enum { QUOTED = 44 }; /* bytes of a quoted token: 40 and "..." */

/* Copies what stands between `start` and the comma or bracket behind `at` to
 * `text`, of 64 bytes, at most 40 of it. It need not be UTF-8. */
static const char *show(const struct parser *p, const char *start,
                        const char *at, char *text)
{
    const int most = 40;
    int len = 0;

    for (; start < p->end && len < most; start++) {
        if (start > at && (*start == ',' || *start == ']'))
            break;
        text[len++] = *start < ' ' || *start > '~' ? '?' : *start;
    }
    text[len] = '\0';
    return text;
}

/* What the kinds of datatypes take: in the words of errors, and as bits of enum
 * value_kind. */
static const struct {
    const char *what;
    unsigned kinds;
} taken[DTYPE_KIND_OPAQUE + 1] = {
    [DTYPE_KIND_BOOL] = {"true and false", 1u << VALUE_BOOL},
    [DTYPE_KIND_INT] = {"integers", 1u << VALUE_INTEGER},
    [DTYPE_KIND_UINT] = {"integers", 1u << VALUE_INTEGER},
    [DTYPE_KIND_FLOAT] = {"numbers", 1u << VALUE_INTEGER | 1u << VALUE_NUMBER},
    [DTYPE_KIND_COMPLEX] = {"numbers",
                            1u << VALUE_INTEGER | 1u << VALUE_NUMBER},
    [DTYPE_KIND_BYTES] = {"strings", 1u << VALUE_STRING},
};

/* `text` has QUOTED bytes. */
static const char *name_value(const struct value *value, const char *start,
                              char *text)
{
    if (value->kind == VALUE_OBJECT)
        return "an object";
    return shorten(start, (size_t)(value->end - start), text, QUOTED);
}

static bool refuse_range(const struct parser *p, const char *start,
                         const char *end)
{
    const struct dtype_traits *info = dtype_info(p->array->dtype);
    const struct number_range *range = p->range;
    char token[QUOTED], least[32], most[32];

    if (info->kind == DTYPE_KIND_INT || info->kind == DTYPE_KIND_UINT) {
        snprintf(least, sizeof(least), "%s%llu", range->least ? "-" : "",
                 (unsigned long long)range->least);
        snprintf(most, sizeof(most), "%llu", (unsigned long long)range->most);
    } else {
        snprintf(least, sizeof(least), "-%s", p->format->range->largest);
        snprintf(most, sizeof(most), "%s", p->format->range->largest);
    }
    return status_fail(p->st, STATUS_INVALID,
                       "data[%llu] of '%s' is %s, but %s holds %s to %s",
                       index_of(p, p->tokens), p->array->name,
                       shorten(start, (size_t)(end - start), token, QUOTED),
                       info->name, least, most);
}

/* Refuses a list in the place of an element. */
static bool refuse_list(const struct parser *p, uint64_t token)
{
    return status_fail(p->st, STATUS_INVALID,
                       "data[%llu] of '%s' is a list, but those before it are "
                       "not",
                       index_of(p, token), p->array->name);
}

static bool refuse_malformed(const struct parser *p, const char *start,
                             const struct value *value, uint64_t token)
{
    char text[64];

    return status_fail(p->st, STATUS_INVALID,
                       "malformed JSON at byte %zu: %s; data[%llu] of '%s' is "
                       "%s%s",
                       byte_of(p, value->end), value->why, index_of(p, token),
                       p->array->name, show(p, start, value->end, text),
                       value->end == start || *start == '-'
                           ? scan_mistake(p->array->text, start, p->end)
                           : "");
}

/* Reads the value at `start` again, where token number `token` is expected;
 * false, and reported, when the datatype does not take such a value. */
static bool reread(const struct parser *p, const char *start, uint64_t token,
                   struct value *value)
{
    const struct dtype_traits *info = dtype_info(p->array->dtype);
    char text[QUOTED];

    *value = read_value(start, p->end);
    if (value->kind == VALUE_MALFORMED)
        return refuse_malformed(p, start, value, token);
    if (value->kind == VALUE_LIST)
        return refuse_list(p, token);
    if (taken[info->kind].kinds >> value->kind & 1)
        return true;
    return status_fail(
        p->st, STATUS_INVALID, "data[%llu] of '%s' is %s, but %s takes %s",
        index_of(p, token), p->array->name, name_value(value, start, text),
        info->name, taken[info->kind].what);
}

bool diagnose_element(const struct parser *p, const char *start)
{
    struct value value;

    return reread(p, start, p->tokens, &value) &&
           refuse_range(p, start, value.end);
}

bool diagnose_rest(const struct parser *p, const char *start)
{
    uint64_t token = p->tokens - 1;
    struct value value;

    if (!reread(p, start, token, &value))
        return false;
    value.end = p->at;
    value.why = "',' or ']' is expected";
    return refuse_malformed(p, start, &value, token);
}

bool diagnose_list(const struct parser *p, const char *at)
{
    struct value value = read_value(at, p->end);
    uint64_t token = p->tokens;
    char text[QUOTED];

    if (value.kind == VALUE_MALFORMED)
        return refuse_malformed(p, at, &value, token);
    if (value.kind == VALUE_LIST)
        return refuse_list(p, token);
    return status_fail(p->st, STATUS_INVALID,
                       "data[%llu] of '%s' is %s, but a list is expected, as "
                       "before it",
                       index_of(p, token), p->array->name,
                       name_value(&value, at, text));
}
