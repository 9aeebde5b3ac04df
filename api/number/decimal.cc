#include "api/number/decimal.h"

#include <charconv>
#include <cmath>
#include <limits>

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

/* Reads the number after the 'e'. It is cut at 2^50: far below overflow, far
 * above the length of any text. */
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

} // namespace

long long decimal_exponent(const char *text, const char *end)
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

int decimal_compare(const char *text, const char *end, double value)
{
    /* The longest value is a midpoint of BF16's smallest ones: 94 digits. */
    char exact[160];
    auto printed = std::to_chars(exact, exact + sizeof(exact), std::fabs(value),
                                 std::chars_format::scientific, 120);
    long long ours = decimal_exponent(text, end);
    long long other = decimal_exponent(exact, printed.ptr);

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
