/* A scanner returns the byte after its element, or NULL when the element is not
 * valid; diagnose_element() then reads it again to find out why. */
#include "api/tensor_json/tokens.h"

#include "api/lex/number_token.h"
#include "api/lex/string.h"
#include "api/tensor_json/blockwise.h"
#include "api/tensor_json/diagnose.h"

typedef const char *(*scanner_fn)(const struct parser *p, const char *text);
typedef void (*sink_fn)(struct parser *p, const char *start, const char *end);

#define INLINE static inline __attribute__((always_inline))

INLINE const char *read_integer(const struct parser *p, const char *text)
{
    const struct number_range *range = &p->stream.range;
    struct number_token t = number_token_read(text, p->stream.end);
    size_t safe =
        *text == '-' ? range->safe_negative_digits : range->safe_digits;

    if (t.why || t.fraction || t.exponent)
        return NULL;
    if (t.whole > safe && !parser_in_range(p, text, (size_t)(t.end - text)))
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

INLINE const char *read_float(const struct parser *p, const char *text)
{
    struct number_token t = number_token_read(text, p->stream.end);
    size_t limit = p->stream.range.safe_exponent;

    if (t.why)
        return read_word(text);
    if ((t.exponent ? is_safe(&t, limit) : t.whole <= limit) ||
        parser_in_range(p, text, (size_t)(t.end - text)))
        return t.end;
    return NULL;
}

INLINE const char *read_bool(const struct parser *p, const char *text)
{
    (void)p;
    return scan_literal(text, *text == 't' ? "true" : "false");
}

INLINE const char *read_string(const struct parser *p, const char *text)
{
    const char *why;

    if (*text != '"' || !string_check(&text, p->stream.end, &why))
        return NULL;
    return text;
}

INLINE void index_token(struct parser *p, const char *start, const char *end)
{
    struct row_index *index = &p->stream.index;

    if (index->tokens_left == index->row_tokens)
        index->row_start = (size_t)(start - p->stream.text);
    if (--index->tokens_left == 0)
        row_index_end(index, p->stream.text, (size_t)(end - p->stream.text));
}

INLINE void convert_token(struct parser *p, const char *start, const char *end)
{
    if (p->stream.tokens < p->token_limit)
        p->format->store(p->out, p->stream.tokens, start,
                         (size_t)(end - start));
}

/* Reads one list; see tokens_fn. Blocks serve numbers that are indexed. */
INLINE bool read_list(struct parser *p, scanner_fn scan, sink_fn sink)
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
        if (text >= s->next_cancel_check && !parser_check_cancel(p, text))
            return false;
        if (text >= retry)
            text = blockwise_resume(p, text, &retry);
        stop = blockwise_stop(s, retry);
    }
}

static bool index_integers(struct parser *p)
{
    return read_list(p, read_integer, index_token);
}

static bool index_floats(struct parser *p)
{
    return read_list(p, read_float, index_token);
}

static bool index_bools(struct parser *p)
{
    return read_list(p, read_bool, index_token);
}

static bool index_strings(struct parser *p)
{
    return read_list(p, read_string, index_token);
}

static bool convert_integers(struct parser *p)
{
    return read_list(p, read_integer, convert_token);
}

static bool convert_floats(struct parser *p)
{
    return read_list(p, read_float, convert_token);
}

static bool convert_bools(struct parser *p)
{
    return read_list(p, read_bool, convert_token);
}

/* By enum dtype_kind; opaque datatypes have no JSON form. */
static const struct {
    tokens_fn index, convert;
} readers[] = {
    [DTYPE_KIND_BOOL] = {index_bools, convert_bools},
    [DTYPE_KIND_INT] = {index_integers, convert_integers},
    [DTYPE_KIND_UINT] = {index_integers, convert_integers},
    [DTYPE_KIND_FLOAT] = {index_floats, convert_floats},
    [DTYPE_KIND_COMPLEX] = {index_floats, convert_floats},
    [DTYPE_KIND_BYTES] = {index_strings, NULL},
};

tokens_fn tokens_index(enum dtype dtype)
{
    return readers[dtype_info(dtype)->kind].index;
}

tokens_fn tokens_convert(enum dtype dtype)
{
    return readers[dtype_info(dtype)->kind].convert;
}
