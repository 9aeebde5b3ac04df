#include "api/prescan/keys.h"

#include "api/lex/scan.h"

/* Compares a key with `name`, which has letters only; decodes \u escapes. */
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

enum document_key keys_identify(const char *key, size_t len, int level,
                                bool in_inputs)
{
    if (level == KEYS_TOP_LEVEL && key_is(key, len, "inputs"))
        return DOCUMENT_KEY_INPUTS;
    if (level == KEYS_INPUT_LEVEL && in_inputs && key_is(key, len, "data"))
        return DOCUMENT_KEY_DATA;
    if (level == KEYS_INPUT_LEVEL && in_inputs && key_is(key, len, "datatype"))
        return DOCUMENT_KEY_DATATYPE;
    if (level == KEYS_TOP_LEVEL && key_is(key, len, "id"))
        return DOCUMENT_KEY_ID;
    return DOCUMENT_KEY_OTHER;
}
