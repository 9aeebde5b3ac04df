#include <string.h>

#include "api/lex/scan.h"

/* What people and other languages write where JSON has another spelling. */
static const struct {
    const char *word, *hint;
} words[] = {
    {"'", ": strings have double quotes in JSON, as json.dumps() writes them"},
    {"None", ": it is null in JSON, as json.dumps() writes it"},
    {"True", ": it is true in JSON, as json.dumps() writes it"},
    {"False", ": it is false in JSON, as json.dumps() writes it"},
    {"NaN", ": only data of floats may have NaN"},
    {"Infinity", ": only data of floats may have Infinity"},
    {"nan", ": it is spelled NaN, and only data of floats may have it"},
    {"inf", ": it is spelled Infinity, and only data of floats may have it"},
    {"undefined", ": JSON has no undefined; null is as good as absent"},
    {"array", ": send a list, such as that of NumPy's x.tolist()"},
    {"tensor", ": send a list, such as that of PyTorch's x.tolist()"},
    {"/", ": JSON has no comments"},
    {"#", ": JSON has no comments"},
};

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26 || c == '_' ||
           scan_is_digit(c);
}

/* True for the bracket that closes something behind a comma. */
static bool follows_comma(const char *start, const char *at)
{
    if (*at != '}' && *at != ']')
        return false;
    while (at > start && scan_is_space(at[-1]))
        at--;
    return at > start && at[-1] == ',';
}

static bool is_key(const char *after, const char *end)
{
    while (after < end && scan_is_space(*after))
        after++;
    return after < end && *after == ':';
}

const char *scan_mistake(const char *start, const char *at, const char *end)
{
    const char *after;
    size_t len;

    if (at >= end)
        return "";
    if (follows_comma(start, at))
        return ": no comma stands before a closing bracket";
    at += *at == '-' && at + 1 < end;
    for (after = at; after < end && is_letter(*after);)
        after++;
    after += after == at; /* one byte that is in no word */
    if (is_letter(*at) && is_key(after, end))
        return ": a key is a string in double quotes";
    len = (size_t)(after - at);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i].word) == len && !memcmp(words[i].word, at, len))
            return words[i].hint;
    return "";
}
