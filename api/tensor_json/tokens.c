/* The scanners of elements, one for each kind of datatype, and the loop that
 * reads a run of them. A scanner returns the byte behind the element, or NULL;
 * what was wrong is found out a second time, by text_refuse_element(). */
#include "api/lex/simd.h"
#include "api/tensor_json/blockwise.h"
#include "api/tensor_json/diagnose.h"
#include "api/tensor_json/parser.h"
#include "api/tensor_json/string.h"

typedef const char *(*token_fn)(const struct text_scan *s, const char *text);
typedef void (*sink_fn)(struct text_scan *s, const char *start,
                        const char *end);

#define INLINE static inline __attribute__((always_inline))

INLINE const char *skip_digits(const struct text_scan *s, const char *text)
{
    while (s->end - text >= SCAN_BLOCK) {
        uint64_t mask = scan_other_than_digits(scan_load(text));

        if (mask)
            return text + scan_first(mask);
        text += SCAN_BLOCK;
    }
    while (scan_is_digit(*text))
        text++;
    return text;
}

/* The digits in front of a point; none, or a 0 in front of others, is NULL. */
INLINE const char *whole_part(const struct text_scan *s, const char *text)
{
    if (!scan_is_digit(text[0]))
        return NULL;
    if (!scan_is_digit(text[1]))
        return text + 1;
    return text[0] == '0' ? NULL : skip_digits(s, text + 1);
}

INLINE const char *integer_token(const struct text_scan *s, const char *text)
{
    const char *start = text;
    bool negative = *text == '-';
    size_t safe = negative ? s->safe_negative_digits : s->safe_digits;
    const char *digits;

    digits = text + negative;
    text = whole_part(s, digits);
    if (!text)
        return NULL;
    if ((size_t)(text - digits) > safe &&
        !text_scan_in_range(s, start, (size_t)(text - start)))
        return NULL;
    return text;
}

/* The three words beyond JSON. */
static const char *word_token(const char *text)
{
    const char *behind = text_refuse_word(text, "NaN");

    return behind ? behind
                  : text_refuse_word(text + (*text == '-'), "Infinity");
}

/* From the 'e' on. `whole` digits stand in front of the point, so the number is
 * below 10^(whole + exponent). */
static const char *exponent_token(const struct text_scan *s, const char *start,
                                  const char *text, size_t whole)
{
    const size_t enough = 100000;
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
        safe = whole <= s->safe_exponent + exponent;
    else
        safe = whole + exponent <= s->safe_exponent;
    if (!safe && !text_scan_in_range(s, start, (size_t)(text - start)))
        return NULL;
    return text;
}

INLINE const char *float_token(const struct text_scan *s, const char *text)
{
    const char *start = text;
    const char *digits;
    size_t whole;

    digits = text + (*text == '-');
    text = whole_part(s, digits);
    if (!text)
        return word_token(start);
    whole = (size_t)(text - digits);
    if (*text == '.') {
        text++;
        if (!scan_is_digit(*text))
            return NULL;
        text = skip_digits(s, text);
    }
    if ((*text | 0x20) == 'e')
        return exponent_token(s, start, text, whole);
    if (whole > s->safe_exponent &&
        !text_scan_in_range(s, start, (size_t)(text - start)))
        return NULL;
    return text;
}

INLINE const char *bool_token(const struct text_scan *s, const char *text)
{
    (void)s;
    return text_refuse_word(text, *text == 't' ? "true" : "false");
}

INLINE const char *string_token(const struct text_scan *s, const char *text)
{
    const char *why;

    if (*text != '"' || !text_string_check(&text, s->end, &why))
        return NULL;
    return text;
}

/* For tensor_json_index(). */
INLINE void mark(struct text_scan *s, const char *start, const char *end)
{
    if (s->missing == s->row)
        s->row_start = start;
    if (--s->missing > 0)
        return;
    s->missing = s->row;
    text_scan_make_room(s);
    if (s->row_count < s->row_limit) {
        s->rows[s->row_count].start = (uint32_t)(s->row_start - s->a->text);
        s->rows[s->row_count].len = (uint32_t)(end - s->row_start);
        s->row_count++;
    }
}

/* For tensor_json_to_binary(). */
INLINE void convert(struct text_scan *s, const char *start, const char *end)
{
    if (s->tokens < s->token_limit)
        s->put(s, start, (size_t)(end - start));
}

/* `wide` may be NULL. */
INLINE bool run(struct text_scan *s, token_fn token, sink_fn sink,
                text_ahead_fn simd)
{
    const char *text = s->at, *wide_from = s->end, *stop;

    if (simd)
        text = text_ahead_start(s, simd, &wide_from);
    stop = text_ahead_stop(s, wide_from);
    for (;;) {
        const char *start = text;

        text = token(s, start);
        if (!text)
            return text_refuse_element(s, start);
        sink(s, start, text);
        s->tokens++;
        if (*text != ',') {
            text = text_scan_space(text);
            s->at = text;
            if (*text == ']')
                return true;
            if (*text != ',')
                return text_refuse_rest(s, start);
        }
        text = text_scan_space(text + 1);
        if (text < stop)
            continue;
        if (text >= s->pause && !text_scan_pause(s, text))
            return false;
        if (text >= wide_from)
            text = text_ahead_on(s, simd, text, &wide_from);
        stop = text_ahead_stop(s, wide_from);
    }
}

static bool index_integers(struct text_scan *s)
{
    const struct json_simd *simd = json_simd_active();

    return run(s, integer_token, mark, simd ? simd->integers : NULL);
}

static bool index_floats(struct text_scan *s)
{
    const struct json_simd *simd = json_simd_active();

    return run(s, float_token, mark, simd ? simd->floats : NULL);
}

static bool index_bools(struct text_scan *s)
{
    return run(s, bool_token, mark, NULL);
}

static bool index_strings(struct text_scan *s)
{
    return run(s, string_token, mark, NULL);
}

static bool convert_integers(struct text_scan *s)
{
    return run(s, integer_token, convert, NULL);
}

static bool convert_floats(struct text_scan *s)
{
    return run(s, float_token, convert, NULL);
}

static bool convert_bools(struct text_scan *s)
{
    return run(s, bool_token, convert, NULL);
}

/* By enum dtype_kind; opaque types have no text form. */
static const struct {
    text_run_fn index, convert;
} runs[] = {
    [DTYPE_KIND_BOOL] = {index_bools, convert_bools},
    [DTYPE_KIND_INT] = {index_integers, convert_integers},
    [DTYPE_KIND_UINT] = {index_integers, convert_integers},
    [DTYPE_KIND_FLOAT] = {index_floats, convert_floats},
    [DTYPE_KIND_COMPLEX] = {index_floats, convert_floats},
    [DTYPE_KIND_BYTES] = {index_strings, NULL},
};

text_run_fn text_run_index(enum dtype dtype)
{
    return runs[dtype_info(dtype)->kind].index;
}

text_run_fn text_run_convert(enum dtype dtype)
{
    return runs[dtype_info(dtype)->kind].convert;
}
