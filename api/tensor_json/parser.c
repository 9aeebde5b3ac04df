/* The walk through the lists of a data array, without recursion. */
#include "api/tensor_json/parser.h"

#include <stdio.h>

#include "api/lex/numbers.h"
#include "api/lex/scan.h"
#include "api/lex/simd.h"
#include "kernels/core/cancel.h"
#include "kernels/core/require.h"

enum { CHECK_INTERVAL = 1 << 17 }; /* bytes between two checks of `cancel` */

/* Level 1 is the array itself; COMPLEX may have one level more than dims. */
enum { NESTING_LEVELS = SHAPE_MAX_RANK + 1 };

/* The depth of a data array, and the length of the lists of each level. */
struct nesting {
    int level;     /* lists that are open */
    int max_level; /* that the shape allows */
    int leaves; /* the level that holds elements; 0 before the first element */
    int levels; /* levels 1 .. levels have had a complete list */
    uint64_t items[NESTING_LEVELS + 1];   /* so far, in the open list */
    uint64_t extents[NESTING_LEVELS + 1]; /* length of a level's first list */
    bool has_extent[NESTING_LEVELS + 1];  /* that list is complete */
};

/* Before this byte, the byte-by-byte code checks nothing but elements. */
static inline const char *blockwise_stop(const struct token_stream *s,
                                         const char *retry)
{
    return retry < s->next_cancel_check ? retry : s->next_cancel_check;
}

/* Opens the list whose '[' is at `at`. Fails when it stands beside elements or
 * is nested too deep. */
static bool nesting_open(struct nesting *nesting, const struct parser *p,
                         const char *at)
{
    char shape[128];

    if (nesting->leaves > 0 && nesting->level == nesting->leaves)
        return diagnose_list(p, at);
    if (nesting->level == nesting->max_level) /* and no element was read */
        return status_fail(
            p->st, STATUS_INVALID,
            "data[0] of '%s' is nested more than %d deep, but its shape is %s",
            p->array->name, nesting->max_level,
            shape_print(&p->array->shape, shape, sizeof(shape)));
    nesting->level++;
    nesting->items[nesting->level] = 0;
    return true;
}

static bool refuse_length(const struct nesting *nesting, const struct parser *p)
{
    int level = nesting->level;
    char indices[160] = ""; /* of the list: "[1][0]" */
    size_t len = 0;

    for (int i = 1; i < level && len < sizeof(indices); i++)
        len += (size_t)snprintf(indices + len, sizeof(indices) - len, "[%llu]",
                                (unsigned long long)nesting->items[i]);
    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' is ragged: its list %s has length %llu, "
                       "but the first one of that level has %llu",
                       p->array->name, indices,
                       (unsigned long long)nesting->items[level],
                       (unsigned long long)nesting->extents[level]);
}

/* Closes the innermost list. Fails when its length is not that of the first
 * list of its level. */
static bool nesting_close(struct nesting *nesting, const struct parser *p)
{
    int level = nesting->level;

    REQUIRE(level > 0);
    if (!nesting->has_extent[level]) {
        nesting->has_extent[level] = true;
        nesting->extents[level] = nesting->items[level];
        if (level > nesting->levels)
            nesting->levels = level;
    }
    if (nesting->items[level] != nesting->extents[level])
        return refuse_length(nesting, p);
    nesting->level--;
    nesting->items[nesting->level]++;
    return true;
}

/* Whether the extents of `levels` levels are the dims of `shape`. Dims of 1 may
 * have no level, and no level follows a dim of 0. Matching each extent of 1
 * with the first dim of 1 finds a match if there is one. */
static bool matches(const uint64_t *extents, int levels,
                    const struct shape *shape)
{
    int level = 0;

    for (int axis = 0; axis < shape->rank; axis++) {
        uint64_t dim = (uint64_t)shape->dims[axis];

        if (level < levels && extents[level] == dim)
            level++;
        else if (dim != 1)
            return false;
        if (dim == 0)
            break;
    }
    return level == levels;
}

/* COMPLEX: pairs are a last level of 2, or double the last extent. */
static bool matches_complex(const uint64_t *extents, int levels,
                            const struct shape *shape)
{
    uint64_t halved[NESTING_LEVELS];
    uint64_t last = extents[levels - 1];

    if (last == 2 && matches(extents, levels - 1, shape))
        return true;
    if (last % 2 > 0)
        return false;
    for (int level = 0; level < levels; level++)
        halved[level] = extents[level];
    halved[levels - 1] = last / 2;
    return matches(halved, levels, shape);
}

static const char *print_extents(const struct nesting *nesting, char *text,
                                 size_t size)
{
    size_t len = 0;

    for (int level = 1; level <= nesting->levels && len < size; level++)
        len += (size_t)snprintf(text + len, size - len, "%s%llu",
                                level > 1 ? ", " : "[",
                                (unsigned long long)nesting->extents[level]);
    if (len < size)
        snprintf(text + len, size - len, "]");
    return text;
}

static bool count_mismatch(const struct parser *p)
{
    char shape[128];
    bool whole = p->stream.tokens % p->per_element == 0;
    unsigned parts = whole ? p->per_element : 1;

    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' has %llu %s, but shape %s has %llu%s",
                       p->array->name,
                       (unsigned long long)(p->stream.tokens / parts),
                       whole ? "elements" : "numbers",
                       shape_print(&p->array->shape, shape, sizeof(shape)),
                       (unsigned long long)(p->token_limit / parts),
                       whole ? "" : ", two for each element");
}

/* After the last ']': checks the number of elements and the nesting against the
 * shape. */
static bool nesting_fits(const struct nesting *nesting, const struct parser *p)
{
    const uint64_t *extents = nesting->extents + 1;
    const struct shape *shape = &p->array->shape;
    bool pairs = p->per_element == 2;
    char text[128], wanted[128];

    if (p->stream.tokens != p->token_limit)
        return count_mismatch(p);
    /* A flat list of all elements, or of their pairs, fits every shape. */
    if (nesting->levels == 1 ||
        (pairs && nesting->levels == 2 && nesting->extents[2] == 2))
        return true;
    if (matches(extents, nesting->levels, shape) ||
        (pairs && matches_complex(extents, nesting->levels, shape)))
        return true;
    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' is nested as %s, but its shape is %s",
                       p->array->name,
                       print_extents(nesting, text, sizeof(text)),
                       shape_print(shape, wanted, sizeof(wanted)));
}

enum { WINDOW = 256 }; /* blocks that are validated, then indexed: 16 KiB */

/* `bytes` after `text`, at most the end. */
static const char *advance(const struct token_stream *s, const char *text,
                           ptrdiff_t bytes)
{
    return s->end - text < bytes ? s->end : text + bytes;
}

/* Counts and indexes the tokens that end at `commas`. Returns the start of the
 * next one. */
static const char *index_tokens(struct token_stream *s,
                                const struct comma_index *commas)
{
    if (s->index.tokens_left == s->index.row_tokens)
        s->index.row_start = commas->first;
    s->tokens += json_simd_active()->rows(&s->index, s->text, commas);
    return scan_skip_space(s->text + commas->end);
}

static const char *read_windows(struct token_stream *s, const char *text)
{
    uint64_t words[WINDOW];
    struct comma_index commas = {.words = words, .capacity = WINDOW};

    do {
        comma_index_start(&commas, &s->range, (size_t)(text - s->text));
        comma_index_append(&commas, s->text, (size_t)(s->end - s->text));
        text = index_tokens(s, &commas);
    } while (!commas.stopped && commas.end > commas.first &&
             text < s->next_cancel_check);
    return text;
}

/* The same within a list: an element starts at `text`. */
static const char *blockwise_resume(struct parser *p, const char *text,
                                    const char **retry)
{
    const ptrdiff_t distance = 8 * (ptrdiff_t)JSON_SIMD_BLOCK;
    struct token_stream *s = &p->stream;
    const char *next;

    *retry = s->end;
    if (s->end - text < JSON_SIMD_BLOCK)
        return text;
    next = read_windows(s, text);
    /* After a long advance one rare element was in the way: retry after it.
     * After a short one, more of them are likely. */
    *retry = next - text < JSON_SIMD_BLOCK ? advance(s, next, distance) : next;
    return next;
}

/* At the start of a list: reads as far as blocks can, from the index of the
 * array's commas if there is one. Returns the start of an element that is to be
 * read byte by byte. From *retry on, at the start of an element,
 * blockwise_resume() is to be called. */
static const char *blockwise_start(struct parser *p, const char **retry)
{
    const unsigned skipped = 15;
    const struct comma_index *commas = p->array->commas;
    struct token_stream *s = &p->stream;
    const char *text = s->at;

    if (commas && s->tokens == 0 && text == s->text + commas->first)
        return *retry = index_tokens(s, commas);
    /* Where one list is shorter than a block, others are too. */
    if (p->short_lists > 0) {
        p->short_lists--;
        *retry = advance(s, text, 2 * (ptrdiff_t)JSON_SIMD_BLOCK);
        return text;
    }
    text = blockwise_resume(p, text, retry);
    if (text - s->at < JSON_SIMD_BLOCK)
        p->short_lists = skipped;
    return text;
}

/* To be called when `at` has reached next_cancel_check, which it moves on.
 * Fails with CANCELLED. */
static bool check_cancel(struct parser *p, const char *at)
{
    struct token_stream *s = &p->stream;

    s->next_cancel_check =
        s->end - at > CHECK_INTERVAL ? at + CHECK_INTERVAL : s->end;
    if (!cancel_requested(p->cancel))
        return true;
    return status_fail(p->st, STATUS_CANCELLED, "cancelled");
}

/* Whether a number is in range, exactly. `token` has passed the grammar. */
static bool is_in_range(const struct parser *p, const char *token, size_t len)
{
    const struct float_range *range = p->format->range;

    return range ? range->holds(token, len)
                 : number_range_holds(&p->stream.range, token, len);
}

/* A scanner returns the byte after its element, or NULL when the element is not
 * valid; diagnose_element() then reads it again to find out why. */
typedef const char *(*scanner_fn)(const struct parser *p, const char *text);
typedef void (*sink_fn)(struct parser *p, const char *start, const char *end);

LEX_INLINE const char *read_integer(const struct parser *p, const char *text)
{
    const struct number_range *range = &p->stream.range;
    struct number_token t = number_token_read(text, p->stream.end);
    size_t safe =
        *text == '-' ? range->safe_negative_digits : range->safe_digits;

    if (t.why || t.fraction || t.exponent)
        return NULL;
    if (t.whole > safe && !is_in_range(p, text, (size_t)(t.end - text)))
        return NULL;
    return t.end;
}

/* NaN, Infinity and -Infinity, which JSON does not have. */
static const char *read_word(const char *text)
{
    const char *end = scan_literal(text, "NaN");

    return end ? end : scan_literal(text + (*text == '-'), "Infinity");
}

/* Whether a number with an exponent is below 10^limit: with `whole` digits
 * before its point it is below 10^(whole + exponent). */
static bool is_safe(const struct number_token *t, size_t limit)
{
    const size_t enough = 100000;
    const char *text = t->exponent;
    bool negative = *text == '-';
    size_t exponent = 0;

    for (text += *text == '-' || *text == '+'; text < t->end; text++)
        if (exponent < enough)
            exponent = exponent * 10 + (size_t)(*text - '0');
    return negative ? t->whole <= limit + exponent
                    : t->whole + exponent <= limit;
}

LEX_INLINE const char *read_float(const struct parser *p, const char *text)
{
    struct number_token t = number_token_read(text, p->stream.end);
    size_t limit = p->stream.range.safe_exponent;

    if (t.why)
        return read_word(text);
    if ((t.exponent ? is_safe(&t, limit) : t.whole <= limit) ||
        is_in_range(p, text, (size_t)(t.end - text)))
        return t.end;
    return NULL;
}

LEX_INLINE const char *read_bool(const struct parser *p, const char *text)
{
    (void)p;
    return scan_literal(text, *text == 't' ? "true" : "false");
}

LEX_INLINE const char *read_string(const struct parser *p, const char *text)
{
    const char *why;

    if (*text != '"' || !scan_string(&text, p->stream.end, &why))
        return NULL;
    return text;
}

LEX_INLINE void index_token(struct parser *p, const char *start,
                            const char *end)
{
    struct row_index *index = &p->stream.index;

    if (index->tokens_left == index->row_tokens)
        index->row_start = (size_t)(start - p->stream.text);
    if (--index->tokens_left == 0)
        row_index_end(index, p->stream.text, (size_t)(end - p->stream.text));
}

LEX_INLINE void convert_token(struct parser *p, const char *start,
                              const char *end)
{
    if (p->stream.tokens < p->token_limit)
        p->format->store(p->out, p->stream.tokens, start,
                         (size_t)(end - start));
}

/* Reads elements and commas from `at`, where an element starts, up to the ']'
 * after them, which becomes `at`. */
typedef bool (*tokens_fn)(struct parser *p);

/* Reads one list; see tokens_fn. Blocks serve numbers that are indexed. */
LEX_INLINE bool read_tokens(struct parser *p, scanner_fn scan, sink_fn sink)
{
    bool in_blocks =
        sink == index_token && (scan == read_integer || scan == read_float);
    struct token_stream *s = &p->stream;
    const char *text = s->at, *retry = s->end, *stop;

    if (in_blocks)
        text = blockwise_start(p, &retry);
    stop = blockwise_stop(s, retry);
    for (;;) {
        const char *start = text;

        text = scan(p, start);
        if (!text)
            return diagnose_element(p, start);
        sink(p, start, text);
        s->tokens++;
        if (*text != ',') {
            text = scan_skip_space(text);
            s->at = text;
            if (*text == ']')
                return true;
            if (*text != ',')
                return diagnose_rest(p, start);
        }
        text = scan_skip_space(text + 1);
        if (text < stop)
            continue;
        if (text >= s->next_cancel_check && !check_cancel(p, text))
            return false;
        if (text >= retry)
            text = blockwise_resume(p, text, &retry);
        stop = blockwise_stop(s, retry);
    }
}

#define DEFINE_READER(name, scan, sink)                                        \
    static bool name(struct parser *p)                                         \
    {                                                                          \
        return read_tokens(p, scan, sink);                                     \
    }

DEFINE_READER(index_integers, read_integer, index_token)
DEFINE_READER(index_floats, read_float, index_token)
DEFINE_READER(index_bools, read_bool, index_token)
DEFINE_READER(index_strings, read_string, index_token)
DEFINE_READER(convert_integers, read_integer, convert_token)
DEFINE_READER(convert_floats, read_float, convert_token)
DEFINE_READER(convert_bools, read_bool, convert_token)

/* Opaque elements have no JSON form. */
static bool refuse_opaque(struct parser *p)
{
    return tensor_json_supports(p->array->dtype, 1, p->array->name, p->st);
}

/* By enum dtype_kind. */
static const struct {
    tokens_fn index, convert;
} readers[] = {
    [DTYPE_KIND_BOOL] = {index_bools, convert_bools},
    [DTYPE_KIND_INT] = {index_integers, convert_integers},
    [DTYPE_KIND_UINT] = {index_integers, convert_integers},
    [DTYPE_KIND_FLOAT] = {index_floats, convert_floats},
    [DTYPE_KIND_COMPLEX] = {index_floats, convert_floats},
    [DTYPE_KIND_BYTES] = {index_strings, NULL},
    [DTYPE_KIND_OPAQUE] = {refuse_opaque, refuse_opaque},
};

void parser_set_rows(struct parser *p, struct span *rows, uint64_t row,
                     uint64_t capacity)
{
    struct row_index *index = &p->stream.index;

    REQUIRE_WITH(row > 0 && p->array->count % row == 0,
                 "rows of %llu in %llu elements", (unsigned long long)row,
                 (unsigned long long)p->array->count);
    index->rows = rows;
    index->capacity = capacity;
    index->row_tokens = row * p->per_element;
    index->tokens_left = index->row_tokens;
}

bool parser_start(struct parser *p, const struct data_array *array,
                  const atomic_bool *cancel, struct status *st)
{
    const struct dtype_traits *info = dtype_info(array->dtype);

    if (!tensor_json_supports(array->dtype, array->count, array->name, st))
        return false;
    if (array->len > UINT32_MAX)
        return status_fail(st, STATUS_TOO_LARGE,
                           "data of '%s' has %zu bytes of text, more than %lu",
                           array->name, array->len, (unsigned long)UINT32_MAX);
    *p = (struct parser){.array = array, .cancel = cancel, .st = st};
    p->stream.text = p->stream.at = array->text;
    p->stream.next_cancel_check = array->text;
    p->stream.end = array->text + array->len;
    p->per_element = info->kind == DTYPE_KIND_COMPLEX ? 2 : 1;
    p->token_limit = array->count * p->per_element;
    p->format = number_format(array->dtype);
    tensor_json_range(array->dtype, &p->stream.range);
    if (array->len == 0 || *array->text != '[')
        return diagnose_byte(p, array->text, "'[' is expected");
    if (array->len == 1 || p->stream.end[-1] != ']')
        return diagnose_byte(p, p->stream.end, "the array is not closed");
    return true;
}

/* Reads the elements of a list, from the first one to its ']'. */
static bool read_elements(struct parser *p, struct nesting *nesting,
                          tokens_fn read_list)
{
    struct token_stream *s = &p->stream;
    uint64_t before = s->tokens;

    if (nesting->leaves > 0 && nesting->leaves != nesting->level)
        return diagnose_list(p, s->at);
    nesting->leaves = nesting->level;
    if (!read_list(p))
        return false;
    nesting->items[nesting->level] = s->tokens - before;
    return true;
}

/* From the byte after a '[' to the first ']': opens the lists in it. */
static bool descend(struct parser *p, struct nesting *nesting,
                    tokens_fn read_list)
{
    struct token_stream *s = &p->stream;

    for (;;) {
        s->at = scan_skip_space(s->at);
        if (*s->at == ']')
            return true;
        if (*s->at != '[')
            return read_elements(p, nesting, read_list);
        if (!nesting_open(nesting, p, s->at))
            return false;
        s->at++;
    }
}

/* Closes lists from the ']' at `at` on. Moves `at` to the byte after the ','
 * that follows them, or to the end. */
static bool ascend(struct parser *p, struct nesting *nesting)
{
    struct token_stream *s = &p->stream;

    for (;;) {
        if (!nesting_close(nesting, p))
            return false;
        s->at++;
        if (nesting->level == 0)
            break;
        if (s->at == s->end)
            return diagnose_byte(p, s->at, "the array is not closed");
        s->at = scan_skip_space(s->at);
        if (*s->at == ',') {
            s->at++;
            return true;
        }
        if (*s->at != ']')
            return diagnose_byte(p, s->at, "',' or ']' is expected");
    }
    if (s->at != s->end)
        return diagnose_byte(p, s->at, "bytes follow the array");
    return true;
}

static bool parse(struct parser *p, tokens_fn read_list)
{
    struct token_stream *s = &p->stream;
    int rank = p->array->shape.rank;
    struct nesting nesting = {.max_level = (rank > 0 ? rank : 1) +
                                           (p->per_element == 2)};

    while (s->at != s->end) {
        s->at = scan_skip_space(s->at);
        if (*s->at != '[')
            return diagnose_list(p, s->at);
        if (s->at >= s->next_cancel_check && !check_cancel(p, s->at))
            return false;
        if (!nesting_open(&nesting, p, s->at))
            return false;
        s->at++;
        if (!descend(p, &nesting, read_list) || !ascend(p, &nesting))
            return false;
    }
    return nesting_fits(&nesting, p);
}

bool parser_index(struct parser *p)
{
    return parse(p, readers[dtype_info(p->array->dtype)->kind].index);
}

bool parser_convert(struct parser *p)
{
    return parse(p, readers[dtype_info(p->array->dtype)->kind].convert);
}
