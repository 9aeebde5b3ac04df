#include "api/document/keys.h"

#include "api/lex/scan.h"

/* Compares a key with `name`, which is letters only, reading escapes. */
static bool key_is(const char *key, size_t len, const char *name)
{
    size_t i = 0;

    for (; *name; name++) {
        if (i < len && key[i] == *name) {
            i++;
        } else if (len - i >= 6 && key[i] == '\\' && key[i + 1] == 'u' &&
                   scan_hex4(key + i + 2) == *name) {
            i += 6;
        } else {
            return false;
        }
    }
    return i == len;
}

enum json_key json_key_of(const char *key, size_t len, int level,
                          bool in_inputs)
{
    if (level == JSON_TOP_LEVEL && key_is(key, len, "inputs"))
        return JSON_KEY_INPUTS;
    if (level == JSON_INPUT_LEVEL && in_inputs && key_is(key, len, "data"))
        return JSON_KEY_DATA;
    if (level == JSON_INPUT_LEVEL && in_inputs && key_is(key, len, "datatype"))
        return JSON_KEY_DATATYPE;
    if (level == JSON_TOP_LEVEL && key_is(key, len, "id"))
        return JSON_KEY_ID;
    return JSON_KEY_OTHER;
}

bool json_ends_scalar(char c)
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

const char *json_name_of(char c)
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

const char *json_array_end(const char *text, const char *at, const char *end,
                           const struct json_known *known)
{
    if (known->start == 0 || known->start != (size_t)(at - text))
        return scan_array_end(at, end);
    return scan_list_end(text + known->behind, end);
}
