#include "api/tensor_json/value.h"

#include <stddef.h>

#include "api/lex/number_token.h"
#include "api/lex/scan.h"
#include "api/lex/string.h"

static struct value malformed(const char *at, const char *why)
{
    return (struct value){VALUE_MALFORMED, at, why};
}

static struct value read_number(const char *text, const char *end)
{
    struct number_token t = number_token_read(text, end);
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

struct value value_read(const char *text, const char *end)
{
    struct value value = read_word(text);

    if (value.kind != VALUE_MALFORMED)
        return value;
    if (*text == '-' || scan_is_digit(*text))
        return read_number(text, end);
    if (*text == '{')
        return (struct value){.kind = VALUE_OBJECT, .end = text};
    if (*text == '[')
        return (struct value){.kind = VALUE_LIST, .end = text};
    if (*text != '"')
        return value;
    value.end = text;
    if (string_check(&value.end, end, &value.why))
        value.kind = VALUE_STRING;
    return value;
}
