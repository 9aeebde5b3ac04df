#include "api/tensor_json/diagnose.h"

#include <stdio.h>
#include <string.h>

#include "api/lex/number_token.h"
#include "api/lex/string.h"

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

struct value {
    enum value_kind kind;
    const char *end; /* of the value, or the byte that is wrong */
    const char *why; /* VALUE_MALFORMED: what is wrong; static */
};

bool diagnose_byte(const struct parser *p, const char *at, const char *what)
{
    return status_fail(p->st, STATUS_INVALID, "malformed JSON at byte %zu: %s",
                       p->array->origin + (size_t)(at - p->array->text), what);
}

static struct value malformed(const char *at, const char *why)
{
    return (struct value){VALUE_MALFORMED, at, why};
}

static struct value read_number(const struct parser *p, const char *text)
{
    struct number_token t = number_token_read(text, p->stream.end);
    enum value_kind kind =
        t.fraction || t.exponent ? VALUE_NUMBER : VALUE_INTEGER;

    return (struct value){t.why ? VALUE_MALFORMED : kind, t.end, t.why};
}

static struct value read_word(const char *text)
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

        if (end)
            return (struct value){.kind = words[i].kind, .end = end};
    }
    return malformed(text, "a value is expected");
}

static struct value read_value(const struct parser *p, const char *text)
{
    struct value value = read_word(text);

    if (value.kind != VALUE_MALFORMED)
        return value;
    if (*text == '-' || scan_is_digit(*text))
        return read_number(p, text);
    if (*text == '{')
        return (struct value){.kind = VALUE_OBJECT, .end = text};
    if (*text == '[')
        return (struct value){.kind = VALUE_LIST, .end = text};
    if (*text != '"')
        return value;
    value.end = text;
    if (string_check(&value.end, p->stream.end, &value.why))
        value.kind = VALUE_STRING;
    return value;
}

/* Copies the token to `text`, of 64 bytes; past 40 bytes it is cut at the end
 * of a character. */
static const char *quote(const char *token, const char *end, char *text)
{
    const size_t most = 40;
    size_t len = (size_t)(end - token);
    bool cut = len > most;

    if (cut)
        for (len = most; len > 0 && (token[len] & 0xC0) == 0x80;)
            len--;
    memcpy(text, token, len);
    memcpy(text + len, cut ? "..." : "", cut ? 4 : 1);
    return text;
}

static const char *accepted_by(enum dtype_kind kind)
{
    switch (kind) {
    case DTYPE_KIND_BOOL:
        return "true and false";
    case DTYPE_KIND_INT:
    case DTYPE_KIND_UINT:
        return "integers";
    case DTYPE_KIND_BYTES:
        return "strings";
    default:
        return "numbers";
    }
}

static bool accepts(enum dtype_kind kind, enum value_kind value)
{
    switch (kind) {
    case DTYPE_KIND_BOOL:
        return value == VALUE_BOOL;
    case DTYPE_KIND_INT:
    case DTYPE_KIND_UINT:
        return value == VALUE_INTEGER;
    case DTYPE_KIND_BYTES:
        return value == VALUE_STRING;
    default:
        return value == VALUE_INTEGER || value == VALUE_NUMBER;
    }
}

static bool refuse_kind(const struct parser *p, const struct value *value,
                        const char *start, uint64_t token)
{
    const struct dtype_traits *info = dtype_info(p->array->dtype);
    bool object = value->kind == VALUE_OBJECT;
    char text[64];
    const char *shown = object ? "an object" : quote(start, value->end, text);

    return status_fail(
        p->st, STATUS_INVALID, "data[%llu] of '%s' is %s, but %s takes %s",
        (unsigned long long)(token / p->per_element), p->array->name, shown,
        info->name, accepted_by(info->kind));
}

static bool refuse_range(const struct parser *p, const char *start,
                         const char *end)
{
    const struct dtype_traits *info = dtype_info(p->array->dtype);
    const struct number_range *range = &p->stream.range;
    char token[64], least[32], most[32];

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
                       (unsigned long long)(p->stream.tokens / p->per_element),
                       p->array->name, quote(start, end, token), info->name,
                       least, most);
}

static bool refuse_mixture(const struct parser *p, const char *at)
{
    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' mixes lists and elements, at byte %zu",
                       p->array->name,
                       p->array->origin + (size_t)(at - p->array->text));
}

/* Reads the value at `start` again, where token number `token` is expected;
 * false, and reported, when the datatype does not take such a value. */
static bool reread(const struct parser *p, const char *start, uint64_t token,
                   struct value *value)
{
    *value = read_value(p, start);
    if (value->kind == VALUE_MALFORMED)
        return diagnose_byte(p, value->end, value->why);
    if (value->kind == VALUE_LIST)
        return refuse_mixture(p, start);
    return accepts(dtype_info(p->array->dtype)->kind, value->kind) ||
           refuse_kind(p, value, start, token);
}

bool diagnose_element(const struct parser *p, const char *start)
{
    struct value value;

    return reread(p, start, p->stream.tokens, &value) &&
           refuse_range(p, start, value.end);
}

bool diagnose_rest(const struct parser *p, const char *start)
{
    struct value value;

    return reread(p, start, p->stream.tokens - 1, &value) &&
           diagnose_byte(p, p->stream.at, "',' or ']' is expected");
}

bool diagnose_list(const struct parser *p, const char *at)
{
    struct value value = read_value(p, at);

    if (value.kind == VALUE_MALFORMED)
        return diagnose_byte(p, value.end, value.why);
    return refuse_mixture(p, at);
}
