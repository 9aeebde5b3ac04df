#include "api/document/field.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/number/number.h"
#include "kernels/core/status.h"
#include "kernels/ops/op.h"

const char *field_plain(const struct tree_value *value)
{
    return field_is_string(value) && !memchr(value->text, '\0', value->len)
               ? value->text
               : NULL;
}

struct tree_value field_of_text(const struct op *op, const char *key,
                                const char *text)
{
    int at = op_attribute_find(op, key);
    bool is_flag = at < 0 ? strcmp(key, "binary_data_output") == 0
                          : op->attributes[at].kind == ATTRIBUTE_BOOL;
    bool yes = strcmp(text, "true") == 0;

    if (is_flag && (yes || strcmp(text, "false") == 0))
        return (struct tree_value){.key = key, .kind = TREE_BOOL, .flag = yes};
    return (struct tree_value){
        .key = key, .kind = TREE_STRING, .text = text, .len = strlen(text)};
}

bool field_integer(const struct tree_value *value, int64_t *integer)
{
    *integer = 0;
    if (!value)
        return false;
    if (value->kind == TREE_NUMBER)
        return integer_read(value->text, value->len, integer) == INTEGER_EXACT;
    if (value->kind == TREE_INTEGER)
        *integer = value->integer;
    if (value->kind != TREE_REAL)
        return value->kind == TREE_INTEGER;
    if (!(fabs(value->real) < 0x1p63) || trunc(value->real) != value->real)
        return false;
    *integer = (int64_t)value->real;
    return true;
}

bool field_real(const struct tree_value *value, double *real)
{
    *real = 0;
    switch (value->kind) {
    case TREE_INTEGER:
        *real = (double)value->integer;
        return true;
    case TREE_UNSIGNED:
        *real = (double)(uint64_t)value->integer;
        return true;
    case TREE_REAL:
        *real = value->real;
        return true;
    case TREE_NUMBER:
        if (!number_parse_double(value->text, value->len, real))
            *real = *value->text == '-' ? -HUGE_VAL : HUGE_VAL;
        return true;
    default:
        return false;
    }
}

const char *field_type(const struct tree_value *value, char *text)
{
    static const char *const types[] = {
        [TREE_NULL] = "null",          [TREE_BOOL] = "a boolean",
        [TREE_INTEGER] = "an integer", [TREE_STRING] = "a string",
        [TREE_DATA] = "an array",      [TREE_ARRAY] = "an array",
        [TREE_OBJECT] = "an object"};

    if (!value)
        return "missing";
    return types[value->kind] ? types[value->kind] : field_number(value, text);
}

const char *field_number(const struct tree_value *value, char *text)
{
    int64_t integer;

    if (value->kind == TREE_NUMBER)
        return shorten(value->text, value->len, text, FIELD_TYPE_SIZE);
    if (field_integer(value, &integer))
        snprintf(text, FIELD_TYPE_SIZE, "%lld", (long long)integer);
    else if (value->kind == TREE_UNSIGNED)
        snprintf(text, FIELD_TYPE_SIZE, "%llu",
                 (unsigned long long)value->integer);
    else
        text[number_print_double(value->real, text)] = '\0';
    return text;
}

bool field_fail(const char *where, const char *key,
                const struct tree_value *value, const char *want,
                struct status *st)
{
    char type[FIELD_TYPE_SIZE];

    return status_fail(st, STATUS_INVALID, "%s%s%.40s is %s, but it must be %s",
                       where, *where ? "." : "", key, field_type(value, type),
                       want);
}

bool field_text(const struct tree_value *value, const char *where,
                const char *key, const char **text, struct status *st)
{
    if (!field_is_string(value))
        return field_fail(where, key, value, "a string", st);
    *text = value->text;
    return !memchr(value->text, '\0', value->len) ||
           status_fail(st, STATUS_INVALID, "%s%s%s holds a NUL character",
                       where, *where ? "." : "", key);
}

bool field_bool(const struct tree_value *value, const char *where,
                const char *key, bool *flag, struct status *st)
{
    bool is_bool = value && value->kind == TREE_BOOL;

    *flag = is_bool && value->flag;
    return is_bool || field_fail(where, key, value, "a boolean", st);
}

bool field_size(const struct tree_value *value, const char *where,
                const char *key, uint64_t *size, struct status *st)
{
    char text[FIELD_TYPE_SIZE];
    int64_t number;

    if (!field_integer(value, &number))
        return field_fail(where, key, value, "an integer from 0 to 2^63 - 1",
                          st);
    *size = (uint64_t)number;
    return number >= 0 ||
           status_fail(st, STATUS_INVALID,
                       "%s%s%s is %s, but it must be 0 or more", where,
                       *where ? "." : "", key, field_number(value, text));
}

bool field_shape(const struct tree_value *value, const char *where,
                 struct shape *shape, struct status *st)
{
    char type[FIELD_TYPE_SIZE];

    if (!value || value->kind != TREE_ARRAY)
        return field_fail(where, "shape", value, "an array of integers", st);
    if (value->count > SHAPE_MAX_RANK)
        return status_fail(st, STATUS_INVALID,
                           "%s.shape has rank %zu, but the limit is %d", where,
                           value->count, SHAPE_MAX_RANK);
    shape->rank = 0;
    for (const struct tree_value *dim = value->first; dim; dim = dim->next) {
        int axis = shape->rank++;

        if (!field_integer(dim, &shape->dims[axis]))
            return status_fail(st, STATUS_INVALID,
                               "%s.shape[%d] is %s, but a dim is an integer "
                               "below 2^63",
                               where, axis, field_type(dim, type));
        if (shape->dims[axis] < 0)
            return status_fail(st, STATUS_INVALID,
                               "%s.shape[%d] is %s, but a dim is 0 or more",
                               where, axis, field_number(dim, type));
    }
    return true;
}

bool field_object(const struct tree_value *value, const char *where,
                  const char *key, struct status *st)
{
    return !value || value->kind == TREE_OBJECT ||
           field_fail(where, key, value, "an object", st);
}

bool field_objects(const struct tree_value *value, const char *key, int most,
                   struct status *st)
{
    char type[FIELD_TYPE_SIZE];
    size_t i = 0;

    if (!value)
        return true;
    if (value->kind != TREE_ARRAY)
        return field_fail("", key, value, "an array of objects", st);
    if (value->count > (size_t)most)
        return status_fail(st, STATUS_INVALID,
                           "%s has %zu entries, but no model takes more than "
                           "%d",
                           key, value->count, most);
    for (const struct tree_value *v = value->first; v; v = v->next, i++)
        if (v->kind != TREE_OBJECT)
            return status_fail(st, STATUS_INVALID,
                               "%s[%zu] is %s, but it must be an object", key,
                               i, field_type(v, type));
    return true;
}

/* Letters and digits of a datatype's name that may be meant. */
enum { LONGEST = 32 };

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

static const char *find_datatype(const char *name)
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

/* The name that was most likely meant, or NULL. Apart, so that the reading of a
 * right name saves no registers for it. */
__attribute__((noinline)) static const char *guess(const char *name, size_t len)
{
    char folded[LONGEST + 1];
    const char *found = NULL;

    fold(name, len, folded);
    /* NumPy counts bytes behind a byte order: "<f4" becomes f32. */
    if (*folded && strchr("<>=|", *name) && isdigit((unsigned char)folded[1]))
        snprintf(folded + 1, LONGEST, "%d", atoi(folded + 1) % 100 * 8);
    for (size_t i = 0; !found && i < sizeof(prefixes) / sizeof(prefixes[0]);
         i++) {
        size_t skipped = strlen(prefixes[i]);

        if (strncmp(folded, prefixes[i], skipped) == 0)
            found = find_datatype(folded + skipped);
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
