#include "api/prescan/value.h"

#include "api/lex/scan.h"

bool value_is_terminator(char c)
{
    switch (c) {
    case '"':
    case ',':
    case ':':
    case '[':
    case ']':
    case '{':
    case '}':
        return true;
    default:
        return scan_is_space(c);
    }
}

const char *value_type_name(char c)
{
    if (c == '"')
        return "a string";
    if (c == '{')
        return "an object";
    if (c == 't' || c == 'f')
        return "a boolean";
    if (c == '-' || scan_is_digit(c))
        return "a number";
    return NULL;
}

const char *value_array_end(const char *text, const char *at, const char *end,
                            const struct validated_part *part)
{
    if (part->start == 0 || part->start != (size_t)(at - text))
        return scan_array_end(at, end);
    return scan_list_end(text + part->validated_end, end);
}
