#include "api/prescan/walk.h"

static const struct {
    const char *name; /* letters only */
    int level;        /* of the object that has the key */
    enum walk_key section, key;
} keys[] = {
    {"inputs", WALK_TOP_LEVEL, WALK_KEY_OTHER, WALK_KEY_INPUTS},
    {"parameters", WALK_TOP_LEVEL, WALK_KEY_OTHER, WALK_KEY_PARAMETERS},
    {"id", WALK_TOP_LEVEL, WALK_KEY_OTHER, WALK_KEY_ID},
    {"data", WALK_ENTRY_LEVEL, WALK_KEY_INPUTS, WALK_KEY_DATA},
    {"datatype", WALK_ENTRY_LEVEL, WALK_KEY_INPUTS, WALK_KEY_DATATYPE},
    {"timeout", WALK_MEMBER_LEVEL, WALK_KEY_PARAMETERS, WALK_KEY_TIMEOUT},
};

/* Compares a key with `name`; decodes \u escapes. */
static bool key_is(const char *key, size_t len, const char *name)
{
    size_t i = 0;

    for (; *name; name++) {
        if (i < len && key[i] == *name)
            i++;
        else if (len - i >= 6 && key[i] == '\\' && key[i + 1] == 'u' &&
                 scan_hex4(key + i + 2) == *name)
            i += 6;
        else
            return false;
    }
    return i == len;
}

enum walk_key walk_identify(const struct walk *w, const char *key, size_t len)
{
    if (w->document->is_plain)
        return WALK_KEY_OTHER;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].level == w->depth && keys[i].section == w->section &&
            key_is(key, len, keys[i].name))
            return keys[i].key;
    return WALK_KEY_OTHER;
}
