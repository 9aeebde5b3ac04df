#include "api/wire/npy_header.h"

#include <string.h>

#include "api/base/digits.h"
#include "api/lex/scan.h"

enum {
    PREAMBLE = 8,           /* magic and version */
    MOST_HEADER = 64 << 10, /* bytes; NumPy's own is below 200 */
};

/* The header's text, a Python dictionary with three entries. */
struct cursor {
    const char *at, *end;
    struct npy_header *npy;
    bool descr, order, shape; /* entries read so far */
    bool fortran;
};

static bool malformed(const char *what, struct status *st)
{
    return status_fail(st, STATUS_INVALID, "malformed .npy file: %s", what);
}

static void skip_space(struct cursor *c)
{
    while (c->at < c->end && scan_is_space(*c->at))
        c->at++;
}

static bool skip(struct cursor *c, char wanted)
{
    skip_space(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

/* A quoted text without escapes, which NumPy never writes. */
static bool read_text(struct cursor *c, const char **text, size_t *len)
{
    const char *close;
    char quote;

    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    quote = *c->at++;
    close = memchr(c->at, quote, (size_t)(c->end - c->at));
    if (!close)
        return false;
    *text = c->at;
    *len = (size_t)(close - c->at);
    c->at = close + 1;
    return true;
}

/* "f4": kind and bytes, as NumPy writes them. */
static bool find_type(const char *text, size_t len, enum dtype *dtype)
{
    static const char kinds[] = "biufc"; /* in the order of enum dtype_kind */
    const char *kind = len > 1 ? memchr(kinds, *text, 5) : NULL;
    uint64_t bytes;

    if (!kind || text[1] == '0' || !digits_read(text + 1, len - 1, &bytes))
        return false;
    for (*dtype = 0; *dtype < DTYPE_BYTES; ++*dtype)
        if ((int)dtype_info(*dtype)->kind == kind - kinds &&
            dtype_info(*dtype)->bits / 8 == bytes)
            return true;
    return false;
}

/* "<f4": byte order, kind, bytes. */
static bool read_descr(struct cursor *c, struct status *st)
{
    const char *text;
    size_t len;

    skip_space(c);
    if (c->at < c->end && *c->at == '[')
        return status_fail(st, STATUS_INVALID,
                           "the array has structured elements: send one field");
    if (!read_text(c, &text, &len))
        return malformed("descr is no text", st);
    c->npy->big_endian = len > 0 && *text == '>';
    if (len > 0 && strchr("<>=|", *text) && *text &&
        find_type(text + 1, len - 1, &c->npy->dtype))
        return true;
    return status_fail(st, STATUS_INVALID,
                       "the array's dtype is '%.*s', but it must be bool, "
                       "(u)int8 to (u)int64, float16 to float64, complex64 or "
                       "complex128",
                       len < 40 ? (int)len : 40, text);
}

static bool read_order(struct cursor *c, struct status *st)
{
    skip_space(c);
    c->fortran = c->end - c->at >= 4 && memcmp(c->at, "True", 4) == 0;
    if (!c->fortran && (c->end - c->at < 5 || memcmp(c->at, "False", 5) != 0))
        return malformed("fortran_order is neither True nor False", st);
    c->at += c->fortran ? 4 : 5;
    return true;
}

static bool read_dim(struct cursor *c, int64_t *dim)
{
    const char *start;
    uint64_t value;

    skip_space(c);
    start = c->at;
    while (c->at < c->end && scan_is_digit(*c->at))
        c->at++;
    if (!digits_read(start, (size_t)(c->at - start), &value))
        return false;
    *dim = (int64_t)value;
    if (c->at < c->end && *c->at == 'L')
        c->at++; /* a long of Python 2 */
    return value < INT64_MAX;
}

/* (), (3,) or (3, 4) */
static bool read_shape(struct cursor *c, struct status *st)
{
    struct shape *shape = &c->npy->shape;

    if (!skip(c, '('))
        return malformed("shape is no tuple", st);
    while (!skip(c, ')')) {
        if (shape->rank == SHAPE_MAX_RANK)
            return status_fail(st, STATUS_INVALID,
                               "the array's rank is above the limit of %d",
                               SHAPE_MAX_RANK);
        if (!read_dim(c, &shape->dims[shape->rank++]))
            return malformed("shape holds what is no dim", st);
        if (!skip(c, ',') && (c->at == c->end || *c->at != ')'))
            return malformed("shape is no tuple", st);
    }
    return true;
}

static bool is_key(const char *key, size_t len, const char *name, bool *seen)
{
    if (*seen || len != strlen(name) || memcmp(key, name, len) != 0)
        return false;
    *seen = true;
    return true;
}

static bool read_entry(struct cursor *c, struct status *st)
{
    const char *key;
    size_t len;

    if (!read_text(c, &key, &len) || !skip(c, ':'))
        return malformed("its header is no dictionary", st);
    if (is_key(key, len, "descr", &c->descr))
        return read_descr(c, st);
    if (is_key(key, len, "fortran_order", &c->order))
        return read_order(c, st);
    if (is_key(key, len, "shape", &c->shape))
        return read_shape(c, st);
    return malformed("its header has an entry that is none of descr, "
                     "fortran_order and shape, or twice",
                     st);
}

static bool read_dictionary(struct cursor *c, struct status *st)
{
    if (!skip(c, '{'))
        return malformed("its header is no dictionary", st);
    while (!skip(c, '}')) {
        if (!read_entry(c, st))
            return false;
        if (!skip(c, ',') && (c->at == c->end || *c->at != '}'))
            return malformed("its header is no dictionary", st);
    }
    skip_space(c);
    if (c->at < c->end)
        return malformed("its header goes on behind the dictionary", st);
    if (!c->descr || !c->order || !c->shape)
        return malformed("its header lacks descr, fortran_order or shape", st);
    if (c->fortran && c->npy->shape.rank > 1)
        return status_fail(st, STATUS_INVALID,
                           "the array is in Fortran order: save "
                           "numpy.ascontiguousarray(x)");
    return true;
}

/* The length's own size depends on the version. */
static bool measure(const unsigned char *file, size_t len, size_t *start,
                    size_t *size, struct status *st)
{
    if (len < PREAMBLE + 4 || memcmp(file, "\x93NUMPY", 6) != 0)
        return malformed("it does not start with \\x93NUMPY", st);
    if (file[6] < 1 || file[6] > 3 || file[7] != 0)
        return status_fail(st, STATUS_INVALID,
                           "the .npy file is of version %d.%d, but 1.0, 2.0 "
                           "and 3.0 are known",
                           file[6], file[7]);
    *start = PREAMBLE + (file[6] == 1 ? 2 : 4);
    *size = file[8] + 256 * (size_t)file[9];
    if (file[6] > 1)
        *size += 65536 * (size_t)file[10] + 16777216 * (size_t)file[11];
    if (*size > MOST_HEADER || *size > len - *start)
        return malformed("its header is longer than the file, or 64 KiB", st);
    return true;
}

bool npy_header_read(const unsigned char *file, size_t len,
                     struct npy_header *npy, struct status *st)
{
    struct cursor c = {.npy = npy};
    size_t start = 0, size = 0;

    *npy = (struct npy_header){.size = 0};
    if (!measure(file, len, &start, &size, st))
        return false;
    npy->size = start + size;
    c.at = (const char *)file + start;
    c.end = c.at + size;
    return read_dictionary(&c, st);
}
