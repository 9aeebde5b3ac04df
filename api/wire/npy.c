/* The .npy file as a request and as a reply. */
#include "api/wire/npy.h"

#include <stdio.h>
#include <string.h>

#include "api/base/digits.h"
#include "api/lex/scan.h"
#include "api/wire/query.h"
#include "api/wire/wire.h"

enum {
    PREAMBLE = 8, /* magic and version */
    MOST_HEADER =
        10000,      /* bytes: numpy.load()'s limit; its own are below 200 */
    ALIGNMENT = 64, /* of the data in a file */
    GROWTH = 21,    /* letters that NumPy leaves for a larger first dim */
};

/* The header's text, a Python dictionary with three entries. */
struct cursor {
    const char *at, *end;
    struct npy_header *npy;
    int version;
    bool descr, order, shape; /* entries read so far */
};

/* The letters of kinds of elements, in the order of enum dtype_kind. */
static const char kinds[] = "biufc";

/* NumPy's words for a type, each between blanks, and its letters, behind which
 * no size stands. C's names are those of 64-bit Linux. */
static const struct {
    enum dtype dtype;
    const char *letters, *words;
} types[] = {
    {DTYPE_BOOL, "?", " bool bool_ "},
    {DTYPE_INT8, "b", " int8 byte "},
    {DTYPE_INT16, "h", " int16 short "},
    {DTYPE_INT32, "i", " int32 intc "},
    {DTYPE_INT64, "lqpn", " int64 int int_ intp long longlong "},
    {DTYPE_UINT8, "B", " uint8 ubyte "},
    {DTYPE_UINT16, "H", " uint16 ushort "},
    {DTYPE_UINT32, "I", " uint32 uintc "},
    {DTYPE_UINT64, "LQPN", " uint64 uint uintp ulong ulonglong "},
    {DTYPE_FP16, "e", " float16 half "},
    {DTYPE_FP32, "f", " float32 single "},
    {DTYPE_FP64, "d", " float64 double float "},
    {DTYPE_COMPLEX64, "F", " complex64 csingle "},
    {DTYPE_COMPLEX128, "D", " complex128 cdouble complex "},
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

/* A quoted text without escapes, which NumPy never writes. Python 2 may mark it
 * as Unicode. */
static bool read_text(struct cursor *c, const char **text, size_t *len)
{
    const char *close;
    char quote;

    skip_space(c);
    if (c->at < c->end && *c->at == 'u')
        c->at++;
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

/* Whether the text is the type's: "f4", a kind and bytes, as NumPy writes it,
 * or a letter, or, without a byte order, a word. */
static bool is_type(size_t type, const char *text, size_t len, bool ordered)
{
    const struct dtype_traits *info = dtype_info(types[type].dtype);
    char word[16];
    uint64_t bytes;

    if (len == 1)
        return strchr(types[type].letters, *text) != NULL;
    if (*text == kinds[info->kind] && digits_read(text + 1, len - 1, &bytes))
        return bytes == info->bits / 8;
    snprintf(word, sizeof(word), " %.*s ", (int)(len < 16 ? len : 16), text);
    return !ordered && len + 2 < sizeof(word) && !memchr(text, ' ', len) &&
           strstr(types[type].words, word);
}

/* "<f4" or "float32": a byte order, or none, and a type. */
static bool find_type(struct npy_header *npy, const char *text, size_t len)
{
    bool ordered = len > 0 && *text && strchr("<>=|", *text);

    if (len == (size_t)ordered || memchr(text, '\0', len))
        return false;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (is_type(i, text + ordered, len - ordered, ordered)) {
            npy->dtype = types[i].dtype;
            npy->big_endian = *text == '>' && dtype_info(npy->dtype)->bits > 8;
            return true;
        }
    return false;
}

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
    if (find_type(c->npy, text, len))
        return true;
    return status_fail(st, STATUS_INVALID,
                       "the array's dtype is '%.*s', but it must be bool, "
                       "(u)int8 to (u)int64, float16 to float64, complex64 or "
                       "complex128",
                       len < 40 ? (int)len : 40, text);
}

static bool read_order(struct cursor *c, struct status *st)
{
    bool *fortran = &c->npy->column_major;

    skip_space(c);
    *fortran = c->end - c->at >= 4 && memcmp(c->at, "True", 4) == 0;
    if (!*fortran && (c->end - c->at < 5 || memcmp(c->at, "False", 5) != 0))
        return malformed("fortran_order is neither True nor False", st);
    c->at += *fortran ? 4 : 5;
    return true;
}

/* Python has no number such as 03, but 00. */
static bool read_dim(struct cursor *c, int64_t *dim)
{
    const char *start;
    uint64_t value;

    skip_space(c);
    start = c->at;
    while (c->at < c->end && scan_is_digit(*c->at))
        c->at++;
    if (!digits_read(start, (size_t)(c->at - start), &value) ||
        (*start == '0' && value > 0))
        return false;
    *dim = (int64_t)value;
    if (c->at < c->end && *c->at == 'L' && c->version < 3)
        c->at++; /* a long of Python 2 */
    return value < INT64_MAX;
}

/* (), (3,) or (3, 4), while (3) is a number */
static bool read_shape(struct cursor *c, struct status *st)
{
    struct shape *shape = &c->npy->shape;
    bool comma = true;

    if (!skip(c, '('))
        return malformed("shape is no tuple", st);
    while (!skip(c, ')')) {
        if (shape->rank == SHAPE_MAX_RANK)
            return status_fail(st, STATUS_INVALID,
                               "the array's rank is above the limit of %d",
                               SHAPE_MAX_RANK);
        if (!read_dim(c, &shape->dims[shape->rank++]))
            return malformed("shape holds what is no dim", st);
        comma = skip(c, ',');
        if (!comma && (c->at == c->end || *c->at != ')'))
            return malformed("shape is no tuple", st);
    }
    if (shape->rank == 1 && !comma)
        return malformed("shape is a number, for a tuple of one has a comma: "
                         "(3,)",
                         st);
    return true;
}

/* Fortran order says nothing where one axis at most has several entries, and
 * where there is no element. */
static bool has_one_order(const struct shape *shape)
{
    int longer = 0;

    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == 0)
            return true;
        longer += shape->dims[i] > 1;
    }
    return longer <= 1;
}

/* NumPy multiplies the dims of an empty array too, but for the zeros. */
static bool check_size(const struct npy_header *npy, struct status *st)
{
    int64_t bytes = dtype_info(npy->dtype)->bits / 8;

    for (int i = 0; i < npy->shape.rank; i++)
        if (npy->shape.dims[i] > 0 &&
            __builtin_mul_overflow(bytes, npy->shape.dims[i], &bytes))
            return status_fail(st, STATUS_INVALID,
                               "the array's dims, without those of 0, say 2^63 "
                               "bytes or more, which numpy.load() refuses");
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
    /* Python takes an indented line for a block. */
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        c->at++;
    if (c->at == c->end || scan_is_space(*c->at) || !skip(c, '{'))
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
    c->npy->column_major &= !has_one_order(&c->npy->shape);
    return check_size(c->npy, st);
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
        return malformed("its header is longer than the file, or than the "
                         "10000 bytes that numpy.load() reads",
                         st);
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
    c.version = file[6];
    c.at = (const char *)file + start;
    c.end = c.at + size;
    return read_dictionary(&c, st);
}

/* The text without the padding; returns its length. */
static size_t print(const struct npy_header *npy, char *out)
{
    const struct dtype_traits *info = dtype_info(npy->dtype);
    const struct shape *shape = &npy->shape;
    char order = npy->big_endian ? '>' : '<';
    int len;

    len = sprintf(out, "{'descr': '%c%c%u', 'fortran_order': %s, 'shape': (",
                  info->bits > 8 ? order : '|', kinds[info->kind],
                  info->bits / 8, npy->column_major ? "True" : "False");
    for (int i = 0; i < shape->rank; i++)
        len += sprintf(out + len, "%s%lld", i > 0 ? ", " : "",
                       (long long)shape->dims[i]);
    len += sprintf(out + len, "%s), }", shape->rank == 1 ? "," : "");
    return (size_t)len;
}

/* Bytes of the dim that grows when entries are appended to the file. */
static size_t growth(const struct npy_header *npy)
{
    const struct shape *shape = &npy->shape;
    int last = npy->column_major ? shape->rank - 1 : 0;

    if (shape->rank == 0)
        return 0;
    return (size_t)(GROWTH -
                    snprintf(NULL, 0, "%lld", (long long)shape->dims[last]));
}

size_t npy_header_write(const struct npy_header *npy, char *out)
{
    char *text = out + PREAMBLE + 2;
    size_t len = print(npy, text), padded = len + growth(npy) + 1;

    /* NumPy pads by 64 where it could pad by 0. */
    padded += ALIGNMENT - (PREAMBLE + 2 + padded) % ALIGNMENT;
    memset(text + len, ' ', padded - len - 1);
    text[padded - 1] = '\n';
    memcpy(out, "\x93NUMPY\1\0", PREAMBLE);
    out[PREAMBLE] = (char)(padded & 255);
    out[PREAMBLE + 1] = (char)(padded >> 8);
    return PREAMBLE + 2 + padded;
}

/* The document and, behind it, the query's text, two bytes longer. */
static struct document *new_document(const char *query, struct status *st)
{
    size_t len = query ? strlen(query) : 0;
    struct document *doc = document_new(len + 3, st);

    if (doc && query)
        memcpy(doc + 1, query, len);
    if (doc)
        doc->tree_bytes = len + 3;
    return doc;
}

static bool describe(const struct api_request *request, const char *name,
                     const struct npy_header *npy, struct document *doc,
                     struct status *st)
{
    struct document_input *input = &doc->inputs[0];

    *input = (struct document_input){
        .name = name,
        .dtype = npy->dtype,
        .shape = npy->shape,
        .form = DOCUMENT_FORM_BINARY,
        .binary_bytes = request->body_len - npy->size,
    };
    doc->input_count = 1;
    return shape_count(&npy->shape, name, &input->count, st);
}

static bool read_query(const struct op *op, struct infer_request *decoded,
                       struct status *st)
{
    struct query query = {
        .op = op, .doc = decoded->doc, .instance = &decoded->instance};
    char *text = (char *)(decoded->doc + 1);

    decoded->instance.text = text;
    return query_read(&query, text, st);
}

bool decode_npy(const struct api_request *request, const struct op *op,
                struct infer_request *decoded, struct status *st)
{
    struct npy_header npy;

    *decoded = (struct infer_request){.body = request->body,
                                      .body_len = request->body_len};
    if (!npy_header_read(request->body, request->body_len, &npy, st))
        return false;
    decoded->binary_start = npy.size;
    decoded->big_endian = npy.big_endian;
    decoded->column_major = npy.column_major;
    decoded->doc = new_document(request->query, st);
    if (decoded->doc && describe(request, op->data, &npy, decoded->doc, st) &&
        read_query(op, decoded, st))
        return true;
    document_unref(decoded->doc);
    decoded->doc = NULL;
    return false;
}

static size_t bound(const struct infer_result *result)
{
    (void)result;
    return NPY_HEADER_MOST;
}

/* NumPy's own header fits where the request's was. */
static void encode(const struct infer_result *result, struct api_reply *reply)
{
    const struct infer_tensor *tensor = &result->tensor;
    const struct npy_header npy = {
        .dtype = tensor->dtype,
        .shape = *tensor->shape,
        .big_endian = tensor->big_endian,
        .column_major = tensor->column_major,
    };
    size_t len = npy_header_write(&npy, result->head);

    encoder_add_both(reply, result->head, len, tensor, tensor->len);
}

const struct encoder encode_npy = {"application/x-npy", "application/x-npy",
                                   bound, encode};
