/* Whether integers that have as many digits as their limit are in range. */
#pragma once

#include "api/tensor_json/parser.h"

static inline uint64_t wide_digits(const char *text)
{
    uint64_t digits = scan_load(text);

    return __builtin_bswap64(digits);
}

/* Whether the number that ends at `end` has one digit more than the safe ones,
 * and is in range by comparing its text with the limit's. */
static inline bool wide_is_within(const struct text_scan *s, const char *end)
{
    unsigned digits = (unsigned)s->safe_digits + 1;
    const struct text_limit *limit = &s->most_text;
    uint64_t high = 0, low;
    char front;

    if (digits > 16 || end - s->a->text <= 16)
        return false;
    front = *(end - digits - 1);
    if (scan_is_digit(front))
        return false;
    if (front == '-')
        limit = &s->least_text;
    low = wide_digits(end - 8);
    if (digits < 8)
        low &= (UINT64_C(1) << digits * 8) - 1;
    else if (digits > 8)
        high = wide_digits(end - 16) & (UINT64_MAX >> (16 - digits) * 8);
    return high < limit->high || (high == limit->high && low <= limit->low);
}

/* The lowest comma of `judge` that ends a number out of range, as a bit. */
static inline uint64_t wide_judge(const struct text_scan *s, const char *block,
                                  uint64_t judge)
{
    for (; judge; judge &= judge - 1) {
        const char *end = block + __builtin_ctzll(judge);
        const char *start = end;

        if (wide_is_within(s, end))
            continue;
        while (scan_is_digit(start[-1]))
            start--;
        start -= start[-1] == '-';
        if (!text_scan_in_range(s, start, (size_t)(end - start)))
            return judge & -judge;
    }
    return 0;
}
