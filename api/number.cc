/* The one C++ file: see number.h. */
#include "api/number.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

extern "C" {
#include "kernels/half.h"
}

namespace
{

/* The digits of a decimal, without sign, point and exponent. */
class digit_stream
{
  public:
    digit_stream(const char *text, const char *end) : at(text), stop(end)
    {
    }

    /* The next digit, or -1 after the last. */
    int next()
    {
        while (at < stop && (*at == '-' || *at == '.'))
            at++;
        if (at == stop || *at < '0' || *at > '9')
            return -1;
        return *at++ - '0';
    }

    int next_nonzero()
    {
        int digit = next();

        while (digit == 0)
            digit = next();
        return digit;
    }

  private:
    const char *at;
    const char *stop;
};

/* The number behind the 'e', kept far below overflow and far above any text's
 * length. */
long long read_exponent(const char *text, const char *end)
{
    const long long enough = 1LL << 50;
    bool negative = text < end && *text == '-';
    long long value = 0;

    if (text < end && (*text == '-' || *text == '+'))
        text++;
    for (; text < end && value < enough; text++)
        value = value * 10 + (*text - '0');
    return negative ? -value : value;
}

/* The power of ten of the first digit that is not 0: 2 for 123, -3 for 0.004.
 * Very small for 0. */
long long leading_exponent(const char *text, const char *end)
{
    long long digits = 0, point = -1, first = -1;

    for (; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.')
            point = digits;
        if (*text < '0' || *text > '9')
            continue;
        if (first < 0 && *text != '0')
            first = digits;
        digits++;
    }
    if (first < 0)
        return std::numeric_limits<long long>::min();
    if (point < 0)
        point = digits;
    return point - 1 - first + read_exponent(text + (text < end), end);
}

/* Compares the decimal's magnitude with that of `value`, which is not 0, has
 * few significant bits and lies next to it: negative, 0 or positive. */
int compare_magnitude(const char *text, const char *end, double value)
{
    /* The longest, a midpoint of BF16's smallest, has 94 digits. */
    char exact[160];
    auto printed = std::to_chars(exact, exact + sizeof(exact), std::fabs(value),
                                 std::chars_format::scientific, 120);
    long long ours = leading_exponent(text, end);
    long long other = leading_exponent(exact, printed.ptr);

    if (ours != other)
        return ours < other ? -1 : 1;
    digit_stream a(text, end), b(exact, printed.ptr);
    int x = a.next_nonzero(), y = b.next();
    while (x >= 0 || y >= 0) {
        if ((x < 0 ? 0 : x) != (y < 0 ? 0 : y))
            return (x < 0 ? 0 : x) < (y < 0 ? 0 : y) ? -1 : 1;
        x = a.next();
        y = b.next();
    }
    return 0;
}

/* libstdc++ 12 reports underflow as it reports overflow, and leaves the value
 * alone in both cases. */
template <typename real> bool parse(const char *text, size_t len, real *value)
{
    const char *end = text + len;

    if (std::from_chars(text, end, *value).ec != std::errc()) {
        if (leading_exponent(text, end) >= 0)
            return false;
        *value = *text == '-' ? -real(0) : real(0);
    }
    return !std::isinf(*value);
}

typedef uint16_t (*round_fn)(double value);

/* Rounds a decimal once. The double next to it lies on the same side of every
 * midpoint between two narrow values, unless it is such a midpoint itself:
 * only then the digits decide. */
uint16_t round_decimal(const char *text, const char *end, double nearest,
                       round_fn round)
{
    const double above = std::numeric_limits<double>::infinity();
    double lower = std::nextafter(nearest, -above);
    double upper = std::nextafter(nearest, above);
    int side;

    if (nearest == 0 || round(lower) == round(upper))
        return round(nearest);
    side = compare_magnitude(text, end, nearest);
    if (nearest < 0)
        side = -side;
    if (side == 0)
        return round(nearest);
    return round(side < 0 ? lower : upper);
}

bool parse_narrow(const char *text, size_t len, round_fn round,
                  uint16_t infinity, uint16_t *value)
{
    double nearest;

    if (!parse(text, len, &nearest))
        return false;
    *value = round_decimal(text, text + len, nearest, round);
    return (*value & 0x7FFF) != infinity;
}

size_t put(char *text, const char *word)
{
    size_t len = std::strlen(word);

    std::memcpy(text, word, len);
    return len;
}

template <typename real> size_t print(real value, char *text)
{
    if (std::isnan(value))
        return put(text, "NaN");
    if (std::isinf(value))
        return put(text, value < 0 ? "-Infinity" : "Infinity");
    auto printed = std::to_chars(text, text + NUMBER_TEXT_MAX, value);
    return static_cast<size_t>(printed.ptr - text);
}

typedef bool (*parse_fn)(const char *text, size_t len, uint16_t *value);

bool reads_back(const char *text, size_t len, parse_fn reader, uint16_t bits)
{
    uint16_t back;

    return reader(text, len, &back) && back == bits;
}

/* Writes a decimal of `digits` digits that reads back to `bits`; 0 when there
 * is none. It is the one nearest to `value` or the one above it: the distance
 * to the next value above is never smaller than to the one below. */
size_t write_digits(double value, int digits, parse_fn reader, uint16_t bits,
                    char *text)
{
    char *end = std::to_chars(text, text + NUMBER_TEXT_MAX, value,
                              std::chars_format::scientific, digits - 1)
                    .ptr;
    char *last = text + digits - (digits == 1) + (*text == '-');
    size_t len = static_cast<size_t>(end - text);

    if (reads_back(text, len, reader, bits))
        return len;
    if (*last == '9')
        return 0; /* one more has fewer digits, and was tried */
    ++*last;
    return reads_back(text, len, reader, bits) ? len : 0;
}

/* The shortest text; of several, the nearest to the value. */
size_t print_narrow(double value, parse_fn reader, uint16_t bits, char *text)
{
    char digits[NUMBER_TEXT_MAX], whole[NUMBER_TEXT_MAX];
    size_t len = 0, whole_len;
    double decimal = value;

    if (!std::isfinite(value) || value == 0)
        return print(value, text);
    for (int count = 1; len == 0; count++)
        len = write_digits(value, count, reader, bits, digits);
    parse(digits, len, &decimal);
    len = print(decimal, text);
    if (std::trunc(value) != value || std::fabs(value) >= 1e15)
        return len;
    whole_len =
        static_cast<size_t>(std::to_chars(whole, whole + sizeof(whole), value,
                                          std::chars_format::fixed)
                                .ptr -
                            whole);
    if (whole_len > len)
        return len;
    std::memcpy(text, whole, whole_len);
    return whole_len;
}

} // namespace

bool number_parse_double(const char *text, size_t len, double *value)
{
    return parse(text, len, value);
}

bool number_parse_float(const char *text, size_t len, float *value)
{
    return parse(text, len, value);
}

bool number_parse_half(const char *text, size_t len, uint16_t *fp16)
{
    return parse_narrow(text, len, half_from_double, 0x7C00, fp16);
}

bool number_parse_bfloat(const char *text, size_t len, uint16_t *bf16)
{
    return parse_narrow(text, len, bfloat_from_double, 0x7F80, bf16);
}

size_t number_print_double(double value, char *text)
{
    return print(value, text);
}

size_t number_print_float(float value, char *text)
{
    return print(value, text);
}

size_t number_print_half(uint16_t fp16, char *text)
{
    return print_narrow(static_cast<double>(half_to_float(fp16)),
                        number_parse_half, fp16, text);
}

size_t number_print_bfloat(uint16_t bf16, char *text)
{
    return print_narrow(static_cast<double>(bfloat_to_float(bf16)),
                        number_parse_bfloat, bf16, text);
}
