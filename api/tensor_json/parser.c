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
    uint64_t known; /* a bit for each level that has an extent */
    uint64_t items[NESTING_LEVELS + 1];   /* so far, in the open list */
    uint64_t extents[NESTING_LEVELS + 1]; /* length of a level's first list */
};

/* Before this byte, the byte-by-byte code checks nothing but elements. */
static inline const char *blockwise_stop(const struct parser *p,
                                         const char *retry)
{
    return retry < p->next_cancel_check ? retry : p->next_cancel_check;
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
    if (!(nesting->known >> level & 1)) {
        nesting->known |= UINT64_C(1) << level;
        nesting->extents[level] = nesting->items[level];
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

/* After the last ']'. */
static int levels_of(const struct nesting *nesting)
{
    return 63 - __builtin_clzll(nesting->known);
}

static const char *print_extents(const struct nesting *nesting, char *text,
                                 size_t size)
{
    size_t len = 0;

    for (int level = 1; level <= levels_of(nesting) && len < size; level++)
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
    bool whole = p->tokens % p->per_element == 0;
    unsigned parts = whole ? p->per_element : 1;

    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' has %llu %s, but shape %s has %llu%s",
                       p->array->name, (unsigned long long)(p->tokens / parts),
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
    int levels = levels_of(nesting);
    char text[128], wanted[128];

    if (p->tokens != p->token_limit)
        return count_mismatch(p);
    /* A flat list of all elements, or of their pairs, fits every shape. */
    if (levels == 1 || (pairs && levels == 2 && nesting->extents[2] == 2))
        return true;
    if (matches(extents, levels, shape) ||
        (pairs && matches_complex(extents, levels, shape)))
        return true;
    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' is nested as %s, but its shape is %s",
                       p->array->name,
                       print_extents(nesting, text, sizeof(text)),
                       shape_print(shape, wanted, sizeof(wanted)));
}

enum { WINDOW = 256 }; /* blocks that are validated, then indexed: 16 KiB */

/* `bytes` after `text`, at most the end. */
static const char *advance(const struct parser *p, const char *text,
                           ptrdiff_t bytes)
{
    return p->end - text < bytes ? p->end : text + bytes;
}

/* Counts and indexes the tokens that end at `commas`. Returns the start of the
 * next one. */
static const char *index_tokens(struct parser *p,
                                const struct comma_index *commas)
{
    if (p->index.tokens_left == p->index.row_tokens)
        p->index.row_start = commas->first;
    p->tokens += p->simd->rows(&p->index, p->text, commas);
    return scan_skip_space(p->text + commas->end);
}

static const char *read_windows(struct parser *p, const char *text)
{
    uint64_t words[WINDOW];
    struct comma_index commas;

    commas.words = words;
    commas.capacity = WINDOW;
    do {
        comma_index_start(&commas, p->range, (size_t)(text - p->text));
        comma_index_append(&commas, p->text, (size_t)(p->end - p->text));
        text = index_tokens(p, &commas);
    } while (!commas.stopped && commas.end > commas.first &&
             text < p->next_cancel_check);
    return text;
}

/* The same within a list: an element starts at `text`. */
static const char *blockwise_resume(struct parser *p, const char *text,
                                    const char **retry)
{
    const ptrdiff_t distance = 8 * (ptrdiff_t)JSON_SIMD_BLOCK;
    const char *next;

    *retry = p->end;
    if (p->end - text < JSON_SIMD_BLOCK)
        return text;
    next = read_windows(p, text);
    /* After a long advance one rare element was in the way: retry after it.
     * After a short one, more of them are likely. */
    *retry = next - text < JSON_SIMD_BLOCK ? advance(p, next, distance) : next;
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
    const char *text = p->at;

    if (commas && p->tokens == 0 && text == p->text + commas->first)
        return *retry = index_tokens(p, commas);
    /* Where one list is shorter than a block, others are too. */
    if (p->short_lists > 0) {
        p->short_lists--;
        *retry = advance(p, text, 2 * (ptrdiff_t)JSON_SIMD_BLOCK);
        return text;
    }
    text = blockwise_resume(p, text, retry);
    if (text - p->at < JSON_SIMD_BLOCK)
        p->short_lists = skipped;
    return text;
}

/* To be called when `at` has reached next_cancel_check, which it moves on.
 * Fails with CANCELLED. */
static bool check_cancel(struct parser *p, const char *at)
{
    p->next_cancel_check =
        p->end - at > CHECK_INTERVAL ? at + CHECK_INTERVAL : p->end;
    if (!cancel_requested(p->cancel))
        return true;
    return status_fail(p->st, STATUS_CANCELLED, "cancelled");
}

/* Whether a number is in range, exactly. `token` has passed the grammar. */
static bool is_in_range(const struct parser *p, const char *token, size_t len)
{
    const struct float_range *range = p->format->range;

    return range ? range->holds(token, len)
                 : number_range_holds(p->range, token, len);
}

/* A scanner returns the byte after its element, or NULL when the element is not
 * valid; diagnose_element() then reads it again to find out why. */
typedef const char *(*scanner_fn)(const struct parser *p, const char *text);
typedef void (*sink_fn)(struct parser *p, const char *start, const char *end);

LEX_INLINE const char *read_integer(const struct parser *p, const char *text)
{
    const struct number_range *range = p->range;
    struct number_token t = number_token_read(text, p->end);
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
    struct number_token t = number_token_read(text, p->end);
    size_t limit = p->range->safe_exponent;

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

    if (*text != '"' || !scan_string(&text, p->end, &why))
        return NULL;
    return text;
}

LEX_INLINE void index_token(struct parser *p, const char *start,
                            const char *end)
{
    struct row_index *index = &p->index;

    if (index->tokens_left == index->row_tokens)
        index->row_start = (size_t)(start - p->text);
    if (--index->tokens_left == 0)
        row_index_end(index, p->text, (size_t)(end - p->text));
}

LEX_INLINE void convert_token(struct parser *p, const char *start,
                              const char *end)
{
    if (p->tokens < p->token_limit)
        p->format->store(p->out, p->tokens, start, (size_t)(end - start));
}

/* Reads elements and commas from `at`, where an element starts, up to the ']'
 * after them, which becomes `at`. */
typedef bool (*tokens_fn)(struct parser *p);

/* Reads one list; see tokens_fn. Blocks serve numbers that are indexed. */
LEX_INLINE bool read_tokens(struct parser *p, scanner_fn scan, sink_fn sink)
{
    bool in_blocks =
        sink == index_token && (scan == read_integer || scan == read_float);
    const char *text = p->at, *retry = p->end, *stop;

    if (in_blocks)
        text = blockwise_start(p, &retry);
    stop = blockwise_stop(p, retry);
    for (;;) {
        const char *start = text;

        text = scan(p, start);
        if (!text)
            return diagnose_element(p, start);
        sink(p, start, text);
        p->tokens++;
        if (*text != ',') {
            text = scan_skip_space(text);
            p->at = text;
            if (*text == ']')
                return true;
            if (*text != ',')
                return diagnose_rest(p, start);
        }
        text = scan_skip_space(text + 1);
        if (text < stop)
            continue;
        if (text >= p->next_cancel_check && !check_cancel(p, text))
            return false;
        if (text >= retry)
            text = blockwise_resume(p, text, &retry);
        stop = blockwise_stop(p, retry);
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

/* Fails with INVALID when the datatype has no JSON form or the text does not
 * start with '[' and end with ']'; TOO_LARGE past 4 GiB. */
static bool start(struct parser *p, const struct data_array *array,
                  const atomic_bool *cancel, struct status *st)
{
    const struct dtype_traits *info = dtype_info(array->dtype);

    if (!tensor_json_supports(array->dtype, array->count, array->name, st))
        return false;
    if (array->len > UINT32_MAX)
        return status_fail(st, STATUS_TOO_LARGE,
                           "data of '%s' has %zu bytes of text, more than %lu",
                           array->name, array->len, (unsigned long)UINT32_MAX);
    /* The index and the simd code are the caller's. */
    p->array = array;
    p->cancel = cancel;
    p->st = st;
    p->tokens = 0;
    p->short_lists = 0;
    p->text = p->at = array->text;
    p->next_cancel_check = array->text;
    p->end = array->text + array->len;
    p->per_element = info->kind == DTYPE_KIND_COMPLEX ? 2 : 1;
    p->token_limit = array->count * p->per_element;
    p->format = number_format(array->dtype);
    p->range = tensor_json_range(array->dtype);
    if (array->len == 0 || *array->text != '[')
        return diagnose_byte(p, array->text, "'[' is expected");
    if (array->len == 1 || p->end[-1] != ']')
        return diagnose_byte(p, p->end, "the array is not closed");
    return true;
}

/* From the byte after a '[' to the first ']': opens the lists in it, and reads
 * the elements of the innermost. */
static bool descend(struct parser *p, struct nesting *nesting,
                    tokens_fn read_list)
{
    uint64_t before = p->tokens;

    for (;; p->at++) {
        p->at = scan_skip_space(p->at);
        if (*p->at == ']')
            return true;
        if (*p->at != '[')
            break;
        if (!nesting_open(nesting, p, p->at))
            return false;
    }
    if (nesting->leaves > 0 && nesting->leaves != nesting->level)
        return diagnose_list(p, p->at);
    nesting->leaves = nesting->level;
    if (!read_list(p))
        return false;
    nesting->items[nesting->level] = p->tokens - before;
    return true;
}

/* Closes lists from the ']' at `at` on. Moves `at` to the byte after the ','
 * that follows them, or to the end. */
static bool ascend(struct parser *p, struct nesting *nesting)
{
    for (;;) {
        if (!nesting_close(nesting, p))
            return false;
        p->at++;
        if (nesting->level == 0)
            break;
        if (p->at == p->end)
            return diagnose_byte(p, p->at, "the array is not closed");
        p->at = scan_skip_space(p->at);
        if (*p->at == ',') {
            p->at++;
            return true;
        }
        if (*p->at != ']')
            return diagnose_byte(p, p->at, "',' or ']' is expected");
    }
    if (p->at != p->end)
        return diagnose_byte(p, p->at, "bytes follow the array");
    return true;
}

static bool parse(struct parser *p, tokens_fn read_list)
{
    int rank = p->array->shape.rank;
    struct nesting nesting;

    nesting.level = nesting.leaves = 0;
    nesting.max_level = (rank > 0 ? rank : 1) + (p->per_element == 2);
    nesting.known = 0;
    nesting.items[0] = 0; /* counted, but of no list */
    while (p->at != p->end) {
        p->at = scan_skip_space(p->at);
        if (*p->at != '[')
            return diagnose_list(p, p->at);
        if (p->at >= p->next_cancel_check && !check_cancel(p, p->at))
            return false;
        if (!nesting_open(&nesting, p, p->at))
            return false;
        p->at++;
        if (!descend(p, &nesting, read_list) || !ascend(p, &nesting))
            return false;
    }
    return nesting_fits(&nesting, p);
}

bool parser_index(const struct data_array *array, uint64_t row,
                  struct row_index *index, const atomic_bool *cancel,
                  struct status *st)
{
    struct parser p;

    REQUIRE_WITH(row > 0 && array->count % row == 0,
                 "rows of %llu in %llu elements", (unsigned long long)row,
                 (unsigned long long)array->count);
    if (!start(&p, array, cancel, st))
        return false;
    p.simd = json_simd_active();
    p.index = *index;
    p.index.row_tokens = p.index.tokens_left = row * p.per_element;
    if (!parse(&p, readers[dtype_info(array->dtype)->kind].index))
        return false;
    index->count = p.index.count;
    return true;
}

bool tensor_json_index(const struct data_array *a, uint64_t row,
                       struct span *rows, const atomic_bool *cancel,
                       struct status *st)
{
    struct row_index index = {.rows = rows};

    index.capacity = rows ? a->count / row : 0;
    return parser_index(a, row, &index, cancel, st);
}

bool tensor_json_to_binary(const struct data_array *a, void *out,
                           const atomic_bool *cancel, struct status *st)
{
    struct parser p;

    if (!start(&p, a, cancel, st))
        return false;
    p.out = out;
    return parse(&p, readers[dtype_info(a->dtype)->kind].convert);
}
