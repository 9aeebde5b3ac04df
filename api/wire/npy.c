/* The .npy file as a request and as a reply. */
#include "api/wire/wire.h"

#include <stdio.h>
#include <string.h>

#include "api/base/text.h"
#include "api/document/field.h"
#include "api/lex/scan.h"
#include "kernels/core/require.h"

enum {
    PREAMBLE = 8,        /* magic and version */
    MOST_HEADER = 10000, /* bytes: NumPy's limit; its own are below 200 */
    ALIGNMENT = 64,      /* of the data in a file */
    GROWTH = 21,         /* letters that NumPy leaves for a larger first dim */
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

#define MALFORMED(st, ...)                                                     \
    status_fail(st, STATUS_INVALID, "malformed .npy file: " __VA_ARGS__)

/* Refuses the value at `at`; a space, a comma or a bracket ends its text. */
static bool refuse(const struct cursor *c, const char *at, const char *name,
                   const char *want, struct status *st)
{
    size_t len = at < c->end;
    char shown[44];

    while (at + len < c->end && !memchr(" ,)}\n", at[len], 5))
        len++;
    return MALFORMED(st, "%s is '%s', but it must be %s", name,
                     shorten(at, len, shown, sizeof(shown)), want);
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
    return !ordered && !memchr(text, ' ', len) &&
           strstr(types[type].words, word);
}

/* "<f4" or "float32": a byte order, or none, and a type. A quote follows. */
static bool find_type(struct npy_header *npy, const char *text, size_t len)
{
    bool ordered = strchr("<>=|", *text) != NULL;

    if (memchr(text, '\0', len))
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
        return refuse(c, c->at, "descr", "a text in quotes", st);
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
        return refuse(c, c->at, "fortran_order", "True or False", st);
    c->at += *fortran ? 4 : 5;
    return true;
}

/* Python has no number such as 03, but 00. */
static bool read_dim(struct cursor *c, int64_t *dim)
{
    const char *start = c->at;
    uint64_t value;

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
    bool comma = true, is_dim;
    char name[16];

    if (!skip(c, '('))
        return refuse(c, c->at, "shape", "a tuple such as (3, 4)", st);
    while (!skip(c, ')')) {
        const char *start = c->at;

        if (shape->rank == SHAPE_MAX_RANK)
            return status_fail(st, STATUS_INVALID,
                               "the array's rank is %d or more, but the limit "
                               "is %d",
                               shape->rank + 1, SHAPE_MAX_RANK);
        snprintf(name, sizeof(name), "shape[%d]", shape->rank);
        is_dim = read_dim(c, &shape->dims[shape->rank++]);
        comma = skip(c, ',');
        if (!is_dim || (!comma && (c->at == c->end || *c->at != ')')))
            return refuse(c, start, name,
                          "an integer from 0 to 2^63 - 2 without leading "
                          "zeros, and ',' or ')' behind it",
                          st);
    }
    if (shape->rank == 1 && !comma)
        return MALFORMED(st, "shape is a number, for a tuple of one has a "
                             "comma: (3,)");
    return true;
}

/* Fortran order says nothing where one axis at most has several entries, and
 * where there is no element. NumPy multiplies the dims of an empty array too,
 * but for the zeros. */
static bool check_dims(struct npy_header *npy, struct status *st)
{
    int64_t bytes = dtype_info(npy->dtype)->bits / 8;
    bool is_empty = false;
    int longer = 0;

    for (int i = 0; i < npy->shape.rank; i++) {
        int64_t dim = npy->shape.dims[i];

        is_empty |= dim == 0;
        longer += dim > 1;
        if (dim > 0 && __builtin_mul_overflow(bytes, dim, &bytes))
            return status_fail(st, STATUS_INVALID,
                               "the array's dims, without those of 0, say 2^63 "
                               "bytes or more, which numpy.load() refuses");
    }
    npy->column_major &= longer > 1 && !is_empty;
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
        return MALFORMED(st, "its header is no dictionary");
    if (is_key(key, len, "descr", &c->descr))
        return read_descr(c, st);
    if (is_key(key, len, "fortran_order", &c->order))
        return read_order(c, st);
    if (is_key(key, len, "shape", &c->shape))
        return read_shape(c, st);
    return MALFORMED(st,
                     "its header has the entry '%.*s', but it must have descr, "
                     "fortran_order and shape, each once",
                     len < 40 ? (int)len : 40, key);
}

static bool read_dictionary(struct cursor *c, struct status *st)
{
    /* Python takes an indented line for a block. */
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        c->at++;
    if (c->at == c->end || scan_is_space(*c->at) || !skip(c, '{'))
        return MALFORMED(st, "its header is no dictionary");
    while (!skip(c, '}')) {
        if (!read_entry(c, st))
            return false;
        if (!skip(c, ',') && (c->at == c->end || *c->at != '}'))
            return MALFORMED(st, "its header is no dictionary");
    }
    skip_space(c);
    if (c->at < c->end)
        return MALFORMED(st, "its header goes on behind the dictionary");
    if (!c->descr || !c->order || !c->shape)
        return MALFORMED(st, "its header lacks descr, fortran_order or shape");
    return check_dims(c->npy, st);
}

bool npy_header_read(const unsigned char *file, size_t len,
                     struct npy_header *npy, struct status *st)
{
    struct cursor c = {.npy = npy};
    size_t start, size;

    *npy = (struct npy_header){.size = 0};
    if (len < 6 || memcmp(file, "\x93NUMPY", 6) != 0)
        return foreign_refuse_npy(len > 0 ? (const char *)file : "", len, st);
    if (len < PREAMBLE + 4)
        return MALFORMED(st, "it ends inside its header");
    if (file[6] < 1 || file[6] > 3 || file[7] != 0)
        return status_fail(st, STATUS_INVALID,
                           "the .npy file is of version %d.%d, but 1.0, 2.0 "
                           "and 3.0 are known",
                           file[6], file[7]);
    /* The length's own size depends on the version. */
    start = PREAMBLE + (file[6] == 1 ? 2 : 4);
    size = file[8] + 256 * (size_t)file[9];
    if (file[6] > 1)
        size += 65536 * (size_t)file[10] + 16777216 * (size_t)file[11];
    if (size > MOST_HEADER || size > len - start)
        return MALFORMED(st,
                         "its header has %zu bytes, but numpy.load() reads at "
                         "most %d, and the file goes on for %zu",
                         size, MOST_HEADER, len - start);
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

size_t npy_header_write(const struct npy_header *npy, char *out)
{
    const struct shape *shape = &npy->shape;
    int growing = npy->column_major ? shape->rank - 1 : 0;
    char *text = out + PREAMBLE + 2;
    size_t len = print(npy, text), padded = len + 1;

    /* NumPy leaves room for the dim that grows when entries are appended to
     * the file, and pads by 64 where it could pad by 0. */
    if (shape->rank > 0)
        padded += (size_t)(GROWTH - snprintf(NULL, 0, "%lld",
                                             (long long)shape->dims[growing]));
    padded += ALIGNMENT - (PREAMBLE + 2 + padded) % ALIGNMENT;
    memset(text + len, ' ', padded - len - 1);
    text[padded - 1] = '\n';
    memcpy(out, "\x93NUMPY\1\0", PREAMBLE);
    out[PREAMBLE] = (char)(padded & 255);
    out[PREAMBLE + 1] = (char)(padded >> 8);
    return PREAMBLE + 2 + padded;
}

/* Decodes [text, end) in place and ends it with a NUL; false for a broken
 * escape or %00. */
static bool decode(char *text, char *end, size_t *len)
{
    for (char *at = text; at < end; at++)
        *at = *at == '+' ? ' ' : *at;
    *len = (size_t)(end - text);
    if (!percent_decode(text, *len, text, *len, len))
        return false;
    text[*len] = '\0';
    return true;
}

static bool is_repeated(const struct document *doc, const struct op *op,
                        const char *key)
{
    for (int i = 0; i < doc->parameter_count; i++)
        if (strcmp(doc->parameters[i].key, key) == 0)
            return true;
    return (strcmp(key, "id") == 0 && doc->id) ||
           (strcmp(key, op->control) == 0 && doc->input_count > 1);
}

static bool is_item(const char *text, size_t len)
{
    size_t sign = *text == '-';

    return (len == 4 && memcmp(text, "true", 4) == 0) ||
           (len == 5 && memcmp(text, "false", 5) == 0) ||
           (len > sign && strspn(text + sign, "0123456789") >= len - sign);
}

/* Adds to *count the integers or booleans between commas, up to `end`. */
static bool count_items(const char *name, const char *text, const char *end,
                        uint64_t *count, struct status *st)
{
    bool more = text < end;

    while (more) {
        size_t len;

        text += strspn(text, " ");
        len = strcspn(text, " ,]");
        if (!is_item(text, len))
            return status_fail(st, STATUS_INVALID,
                               "%s[%llu] in the query is '%.*s', but it must "
                               "be an integer, or true or false",
                               name, (unsigned long long)*count,
                               len < 40 ? (int)len : 40, text);
        ++*count;
        text += len;
        text += strspn(text, " ");
        if (text < end && *text != ',')
            return status_fail(st, STATUS_INVALID,
                               "%s in the query: a comma is expected behind "
                               "entry %llu",
                               name, (unsigned long long)*count - 1);
        more = text < end;
        text += more;
    }
    return true;
}

/* Makes "4,3,2,1" or "[4,3,2,1]" the data array of an input. Brackets are
 * written over the bytes on either side, the '=' and the end of the value. */
static bool read_control(struct document *doc, const struct op *op, char *value,
                         size_t len, struct status *st)
{
    struct document_input *input = &doc->inputs[1];

    if (*value == '[' && value[len - 1] == ']') {
        value++;
        len -= 2;
    }
    *input = (struct document_input){.name = op->control,
                                     .form = DOCUMENT_FORM_JSON};
    if (!count_items(input->name, value, value + len, &input->count, st))
        return false;
    input->shape = (struct shape){1, {(int64_t)input->count}};
    input->dtype = *value == 't' || *value == 'f' ? DTYPE_BOOL : DTYPE_INT64;
    value[-1] = '[';
    value[len] = ']';
    input->data.start = (size_t)(value - 1 - doc->text);
    input->data.len = len + 2;
    doc->input_count = 2;
    return true;
}

static bool read_value(struct document *doc, const struct op *op, char *key,
                       char *value, size_t len, struct status *st)
{
    if (is_repeated(doc, op, key))
        return status_fail(st, STATUS_INVALID, "the query gives '%.64s' twice",
                           key);
    if (strcmp(key, op->control) == 0)
        return read_control(doc, op, value, len, st);
    if (strcmp(key, "id") == 0) {
        doc->id = len > 0 ? value : NULL;
        doc->id_len = len;
        return true;
    }
    if (doc->parameter_count == DOCUMENT_MAX_PARAMETERS)
        return status_fail(st, STATUS_INVALID,
                           "the query has more than %d entries",
                           DOCUMENT_MAX_PARAMETERS);
    doc->parameters[doc->parameter_count++] = field_of_text(op, key, value);
    return true;
}

static bool read_pair(struct document *doc, const struct op *op, char *at,
                      char *end, struct status *st)
{
    char *value = memchr(at, '=', (size_t)(end - at));
    size_t key_len, len;

    if (!value)
        return status_fail(st, STATUS_INVALID,
                           "the query's '%.*s' has no value",
                           end - at < 64 ? (int)(end - at) : 64, at);
    if (!decode(value + 1, end, &len) || !decode(at, value, &key_len))
        return status_fail(st, STATUS_INVALID,
                           "the query's '%.*s' has a broken %% escape, or a "
                           "NUL: %%00",
                           value - at < 64 ? (int)(value - at) : 64, at);
    return read_value(doc, op, at, value + 1, len, st);
}

/* Reads "sequence_lens=4,3,2,1&time_axis=0" into the document, which takes the
 * place of one around the data: the operator's other input as a data array,
 * `id`, and parameters. Decodes the text in place; the document borrows from
 * it. Fails with INVALID. */
static bool read_query(struct document *doc, const struct op *op, char *at,
                       struct status *st)
{
    bool more = *at != '\0';

    doc->text = at;
    doc->has_query = true;
    while (more) {
        char *end = at + strcspn(at, "&");

        more = *end != '\0'; /* before the pair is written on */
        if (end > at && !read_pair(doc, op, at, end, st))
            return false;
        at = end + 1;
    }
    return true;
}

bool decode_npy(struct infer *infer, struct status *st)
{
    const struct api_request *request = infer->request;
    const struct op *op = infer->model->op;
    const char *query = request->query ? request->query : "";
    size_t len = strlen(query);
    struct document *doc = &infer->doc;
    struct npy_header npy;
    char *text;

    if (!npy_header_read(request->body, request->body_len, &npy, st))
        return false;
    infer->binary_start = npy.size;
    infer->big_endian = npy.big_endian;
    infer->column_major = npy.column_major;
    text = tree_take(&doc->tree, len + 1, NULL, st);
    if (!text)
        return false;
    memcpy(text, query, len + 1);
    doc->inputs[0] = (struct document_input){
        .name = op->data,
        .dtype = npy.dtype,
        .shape = npy.shape,
        .form = DOCUMENT_FORM_BINARY,
        .binary_bytes = request->body_len - npy.size,
    };
    doc->input_count = 1;
    return shape_count(&npy.shape, op->data, &doc->inputs[0].count, st) &&
           read_query(doc, op, text, st);
}

uint64_t npy_timeout(const char *query)
{
    static const char name[] = "timeout=";
    uint64_t timeout;

    while (query && strncmp(query, name, sizeof(name) - 1) != 0) {
        const char *end = strchr(query, '&');

        query = end ? end + 1 : NULL;
    }
    if (!query)
        return 0;
    query += sizeof(name) - 1;
    return digits_read(query, strcspn(query, "&"), &timeout) ? timeout : 0;
}

/* NumPy's own header fits where the request's was. */
void encode_npy(const struct infer_result *result, struct api_reply *reply)
{
    const struct infer *infer = result->infer;
    const struct npy_header npy = {
        .dtype = infer->call.data.dtype,
        .shape = infer->call.data.shape,
        .big_endian = infer->big_endian,
        .column_major = infer->column_major,
    };
    size_t len = npy_header_write(&npy, result->head);

    REQUIRE_WITH(len <= result->head_size, "%zu", len);
    reply->content_type = NPY_TYPE;
    encoder_add_both(reply, result, len, result->len);
}
