#include "api/number/integer.h"

#include <stdbool.h>

/* Digits of the largest integer. All numbers with so many fit 64 bits without a
 * sign. */
enum { MOST_DIGITS = 19 };

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* value * 10^scale, where value has `digits` digits, the last of them not 0. */
struct decimal {
    uint64_t value; /* exact up to MOST_DIGITS digits */
    long long digits, scale;
};

static uint64_t append_zeros(uint64_t value, long long count)
{
    while (count-- > 0)
        value *= 10;
    return value;
}

/* `zeros` precede the digit, which is not 0. */
static void append(struct decimal *d, long long zeros, int digit)
{
    if (d->digits == 0)
        zeros = 0;
    d->digits += zeros + 1;
    if (d->digits <= MOST_DIGITS)
        d->value = append_zeros(d->value, zeros + 1) + (uint64_t)digit;
}

/* Reads the number after the 'e'; larger ones become 10^16, which no length of
 * a text outweighs. */
static long long read_exponent(const char *text, const char *end)
{
    const long long enough = 10000000000000000;
    bool negative = text < end && *text == '-';
    long long value = 0;

    text += negative || (text < end && *text == '+');
    for (; text < end && value < enough; text++)
        value = value * 10 + (*text - '0');
    value = value < enough ? value : enough;
    return negative ? -value : value;
}

static struct decimal read_decimal(const char *text, const char *end)
{
    struct decimal d = {0};
    long long zeros = 0;
    bool fraction = false;

    for (; text < end && (*text | 0x20) != 'e'; text++) {
        fraction |= *text == '.';
        if (!is_digit(*text))
            continue;
        d.scale -= fraction;
        zeros++;
        if (*text == '0')
            continue;
        append(&d, zeros - 1, *text - '0');
        zeros = 0;
    }
    d.scale += zeros + read_exponent(text + (text < end), end);
    return d;
}

enum integer_kind integer_read(const char *text, size_t len, int64_t *value)
{
    struct decimal d = read_decimal(text, text + len);
    bool negative = *text == '-';
    uint64_t number;

    *value = 0;
    if (d.digits == 0)
        return INTEGER_EXACT;
    if (d.digits + d.scale > MOST_DIGITS)
        return INTEGER_TOO_LARGE;
    if (d.scale < 0)
        return INTEGER_FRACTION;
    number = append_zeros(d.value, d.scale);
    if (number > (uint64_t)INT64_MAX + negative)
        return INTEGER_TOO_LARGE;
    *value = negative ? (int64_t)(0 - number) : (int64_t)number;
    return INTEGER_EXACT;
}
