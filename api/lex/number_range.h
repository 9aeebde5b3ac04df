/* The range of the numbers of a datatype. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/lex/grammar.h"
#include "api/lex/scan.h"

/* A limit of at most 16 decimal digits as ASCII, the most significant digit in
 * the highest byte, zero bytes before it. Texts of equal length compare as
 * these integers do. */
struct limit_text {
    uint64_t high, low;
};

struct number_range {
    /* Integers: the largest magnitude of a positive and of a negative value. */
    uint64_t most, least;
    struct limit_text most_text, least_text;
    /* Integers of at most so many digits are in range. */
    size_t safe_digits, safe_negative_digits;
    /* Floats: every number below 10^safe_exponent is in range. */
    size_t safe_exponent;
    /* A number that may be out of range has such a run of digits: all of them,
     * or half of those before the point of a float. */
    struct grammar_run suspect;
};

/* `safe_exponent` is above 0 for floats, `most` for integers; `least` is the
 * magnitude of the least value, of as many digits, or 0. */
void number_range_init(struct number_range *range, uint64_t most,
                       uint64_t least, size_t safe_exponent);

static inline bool number_range_is_float(const struct number_range *range)
{
    return range->most == 0;
}

/* Whether an integer is in range. `token` has passed the grammar. */
bool number_range_holds(const struct number_range *range, const char *token,
                        size_t len);

/* The 8 characters at `text`, the first one in the highest byte. */
static inline uint64_t number_range_load(const char *text)
{
    return __builtin_bswap64(scan_load(text));
}

/* Whether the number that ends at `end` has exactly one digit more than the
 * safe ones and is in range: its text is compared with that of the limit.
 * `text` is the start of the array. */
static inline bool number_range_holds_text(const struct number_range *range,
                                           const char *text, const char *end)
{
    const struct limit_text *limit = &range->most_text;
    unsigned digits = (unsigned)range->safe_digits + 1;
    uint64_t high = 0, low;
    char before;

    if (digits > 16 || end - text <= 16)
        return false;
    before = *(end - digits - 1);
    if (scan_is_digit(before))
        return false;
    if (before == '-')
        limit = &range->least_text;
    low = number_range_load(end - 8);
    if (digits < 8)
        low &= (UINT64_C(1) << digits * 8) - 1;
    else if (digits > 8)
        high = number_range_load(end - 16) & (UINT64_MAX >> (16 - digits) * 8);
    return high < limit->high || (high == limit->high && low <= limit->low);
}

/* The lowest of the commas `suspects` of a block that ends a number out of
 * range, as a bit; 0 when there is none. */
static inline uint64_t number_range_check(const struct number_range *range,
                                          const char *text, const char *block,
                                          uint64_t suspects)
{
    for (; suspects; suspects &= suspects - 1) {
        const char *end = block + __builtin_ctzll(suspects);
        const char *start = end;

        if (number_range_holds_text(range, text, end))
            continue;
        while (scan_is_digit(start[-1]))
            start--;
        start -= start[-1] == '-';
        if (!number_range_holds(range, start, (size_t)(end - start)))
            return suspects & -suspects;
    }
    return 0;
}
