/* A scanner returns the byte after its element, or NULL when the element is not
 * valid; diagnose_element() then reads it again to find out why. */
#include "api/tensor_json/tokens.h"

#include "api/lex/scan.h"
#include "api/lex/simd.h"
#include "api/lex/string.h"
#include "api/tensor_json/blockwise.h"
#include "api/tensor_json/diagnose.h"

typedef const char *(*scanner_fn)(const struct parser *p, const char *text);
typedef void (*sink_fn)(struct parser *p, const char *start, const char *end);

#define INLINE static inline __attribute__((always_inline))

INLINE const char *skip_digits(const struct parser *p, const char *text)
{
    while (p->stream.end - text >= SCAN_BLOCK) {
        uint64_t mask = scan_other_than_digits(scan_load(text));

        if (mask)
            return text + scan_first(mask);
        text += SCAN_BLOCK;
    }
    while (scan_is_digit(*text))
        text++;
    return text;
}

/* Skips the digits before a point; NULL for no digit or a leading 0. */
INLINE const char *skip_whole_part(const struct parser *p, const char *text)
{
    if (!scan_is_digit(text[0]))
        return NULL;
    if (!scan_is_digit(text[1]))
        return text + 1;
    return text[0] == '0' ? NULL : skip_digits(p, text + 1);
}

INLINE const char *read_integer(const struct parser *p, const char *text)
{
    const char *start = text;
    bool negative = *text == '-';
    size_t safe = negative ? p->stream.range.safe_negative_digits
                           : p->stream.range.safe_digits;
    const char *digits = text + negative;

    text = skip_whole_part(p, digits);
    if (!text)
        return NULL;
    if ((size_t)(text - digits) > safe &&
        !parser_in_range(p, start, (size_t)(text - start)))
        return NULL;
    return text;
}

/* NaN, Infinity and -Infinity, which JSON does not have. */
static const char *read_word(const char *text)
{
    const char *end = scan_literal(text, "NaN");

    return end ? end : scan_literal(text + (*text == '-'), "Infinity");
}

/* From the 'e' of the number at `start` on. It has `whole` digits before its
 * point, so it is below 10^(whole + exponent). */
static const char *read_exponent(const struct parser *p, const char *start,
                                 const char *text, size_t whole)
{
    const size_t enough = 100000;
    const size_t limit = p->stream.range.safe_exponent;
    bool negative, safe;
    size_t exponent = 0;

    text++;
    negative = *text == '-';
    text += *text == '-' || *text == '+';
    if (!scan_is_digit(*text))
        return NULL;
    for (; scan_is_digit(*text); text++)
        if (exponent < enough)
            exponent = exponent * 10 + (size_t)(*text - '0');
    if (negative)
        safe = whole <= limit + exponent;
    else
        safe = whole + exponent <= limit;
    if (!safe && !parser_in_range(p, start, (size_t)(text - start)))
        return NULL;
    return text;
}

INLINE const char *read_float(const struct parser *p, const char *text)
{
    const char *start = text;
    const char *digits = text + (*text == '-');
    size_t whole;

    text = skip_whole_part(p, digits);
    if (!text)
        return read_word(start);
    whole = (size_t)(text - digits);
    if (*text == '.') {
        text++;
        if (!scan_is_digit(*text))
            return NULL;
        text = skip_digits(p, text);
    }
    if ((*text | 0x20) == 'e')
        return read_exponent(p, start, text, whole);
    if (whole > p->stream.range.safe_exponent &&
        !parser_in_range(p, start, (size_t)(text - start)))
        return NULL;
    return text;
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

/* Counts a token; stores the row when it is complete. */
INLINE void index_token(struct parser *p, const char *start, const char *end)
{
    struct row_index *index = &p->stream.index;

    if (index->tokens_left == index->row_tokens)
        index->row_start = start;
    if (--index->tokens_left > 0)
        return;
    index->tokens_left = index->row_tokens;
    row_index_reserve(index);
    if (index->count < index->capacity) {
        struct span *row = &index->rows[index->count++];

        row->start = (uint32_t)(index->row_start - p->stream.text);
        row->len = (uint32_t)(end - index->row_start);
    }
}

INLINE void convert_token(struct parser *p, const char *start, const char *end)
{
    if (p->stream.tokens < p->token_limit)
        p->format->store(p->out, p->stream.tokens, start,
                         (size_t)(end - start));
}

/* Reads one list; see tokens_fn. `simd` may be NULL. */
INLINE bool read_list(struct parser *p, scanner_fn scan, sink_fn sink,
                      blockwise_fn simd)
{
    struct token_stream *s = &p->stream;
    const char *text = s->at, *retry = s->end, *stop;

    if (simd)
        text = blockwise_start(p, simd, &retry);
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
            text = blockwise_resume(p, simd, text, &retry);
        stop = blockwise_stop(s, retry);
    }
}

static bool index_integers(struct parser *p)
{
    return read_list(p, read_integer, index_token,
                     json_simd_active()->integers);
}

static bool index_floats(struct parser *p)
{
    return read_list(p, read_float, index_token, json_simd_active()->floats);
}

static bool index_bools(struct parser *p)
{
    return read_list(p, read_bool, index_token, NULL);
}

static bool index_strings(struct parser *p)
{
    return read_list(p, read_string, index_token, NULL);
}

static bool convert_integers(struct parser *p)
{
    return read_list(p, read_integer, convert_token, NULL);
}

static bool convert_floats(struct parser *p)
{
    return read_list(p, read_float, convert_token, NULL);
}

static bool convert_bools(struct parser *p)
{
    return read_list(p, read_bool, convert_token, NULL);
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
