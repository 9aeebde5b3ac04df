#include "api/document/datatype.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 32 }; /* letters and digits of a name that may be meant */

/* What begins a name in other libraries, and what it is here: a whole name, or
 * one before its bits. "" is a name in another case. */
static const struct {
    const char *theirs, *ours;
} stems[] = {
    {"", ""},
    {"float", "FP"},
    {"f", "FP"},
    {"bfloat", "BF"},
    {"int", "INT"},
    {"i", "INT"},
    {"uint", "UINT"},
    {"u", "UINT"},
    {"c", "COMPLEX"},
    {"boolean", "BOOL"},
    {"half", "FP16"},
    {"bfloat", "BF16"},
    {"float", "FP32"},
    {"single", "FP32"},
    {"double", "FP64"},
    {"cfloat", "COMPLEX64"},
    {"complex", "COMPLEX128"},
    {"cdouble", "COMPLEX128"},
    {"char", "INT8"},
    {"short", "INT16"},
    {"int", "INT64"},
    {"integer", "INT64"},
    {"long", "INT64"},
    {"uint", "UINT64"},
    {"ubyte", "UINT8"},
    {"ushort", "UINT16"},
    {"ulong", "UINT64"},
    {"str", "BYTES"},
    {"string", "BYTES"},
    {"object", "BYTES"},
};

/* What stands in front of a name: tensor(float), TYPE_FP32, DT_FLOAT. */
static const char *const prefixes[] = {"tensor", "type", "dt", ""};

/* And behind it: uint8_t, torch.FloatTensor, float8_e4m3fn, float8_e8m0fnu. */
static const char *const suffixes[] = {"", "t", "tensor", "fn", "fnu"};

/* Passes letters and digits that both have, whatever their case. */
static void pass_same(const char **name, const char **known)
{
    for (;;) {
        while (**known == '_')
            ++*known;
        if (!**known || tolower((unsigned char)**known) != **name)
            return;
        ++*name;
        ++*known;
    }
}

/* True if `stem` and then `name` spell `known`, with any suffix. */
static bool spells(const char *stem, const char *name, const char *known)
{
    size_t len = strlen(stem);

    if (strncmp(stem, known, len) != 0)
        return false;
    known += len;
    pass_same(&name, &known);
    for (size_t i = 0; !*known && i < sizeof(suffixes) / sizeof(suffixes[0]);
         i++)
        if (strcmp(name, suffixes[i]) == 0)
            return true;
    return false;
}

static const char *find(const char *name)
{
    for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
        size_t len = strlen(stems[i].theirs);

        if (strncmp(name, stems[i].theirs, len) != 0)
            continue;
        for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
            const char *known = dtype_info((enum dtype)dtype)->name;

            if (spells(stems[i].ours, name + len, known))
                return known;
        }
    }
    return NULL;
}

/* Writes the letters and digits behind the last '.' in lower case. A name that
 * is too long is left without any. */
static void fold(const char *name, size_t len, char *folded)
{
    size_t count = 0;

    for (size_t i = 0; i < len && count < LONGEST; i++) {
        if (name[i] == '.')
            count = 0;
        else if (isalnum((unsigned char)name[i]))
            folded[count++] = (char)tolower((unsigned char)name[i]);
    }
    folded[count < LONGEST ? count : 0] = '\0';
}

/* The name that was most likely meant, or NULL. */
static const char *guess(const char *name, size_t len)
{
    char folded[LONGEST + 1];
    const char *found = NULL;

    fold(name, len, folded);
    /* NumPy counts bytes behind a byte order: "<f4" becomes f32. */
    if (len > 0 && *folded && strchr("<>=|", *name) &&
        isdigit((unsigned char)folded[1]))
        snprintf(folded + 1, LONGEST, "%d", atoi(folded + 1) % 100 * 8);
    for (size_t i = 0; !found && i < sizeof(prefixes) / sizeof(prefixes[0]);
         i++) {
        size_t skipped = strlen(prefixes[i]);

        if (strncmp(folded, prefixes[i], skipped) == 0)
            found = find(folded + skipped);
    }
    return found;
}

bool datatype_read(const char *name, size_t len, const char *where,
                   enum dtype *dtype, struct status *st)
{
    const char *meant;

    if (dtype_parse(name, len, dtype))
        return true;
    meant = guess(name, len);
    return status_fail(st, STATUS_INVALID,
                       "%s%sdatatype is '%.*s'%s%s%s, but it must be one "
                       "of %s",
                       where, *where ? "." : "", len < 40 ? (int)len : 40, name,
                       meant ? " (did you mean " : "", meant ? meant : "",
                       meant ? "?)" : "", DTYPE_ALL_NAMES);
}
