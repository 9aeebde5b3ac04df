/* FP32 and FP64 as text: see number.h. */
#include "api/number/number.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "api/number/decimal.h"

namespace
{

/* libstdc++ 12 reports underflow and overflow alike, and does not change the
 * value in either case. */
template <typename real> bool parse(const char *text, size_t len, real *value)
{
    const char *end = text + len;
    bool is_word = text[*text == '-'] > '9';

    if (std::from_chars(text, end, *value).ec != std::errc()) {
        if (decimal_exponent(text, end) >= 0)
            return false;
        *value = *text == '-' ? -real(0) : real(0);
    }
    return is_word || !std::isinf(*value);
}

size_t write(char *text, const char *word)
{
    size_t len = std::strlen(word);

    std::memcpy(text, word, len);
    return len;
}

template <typename real> size_t print(real value, char *text)
{
    if (std::isnan(value))
        return write(text, "NaN");
    if (std::isinf(value))
        return write(text, value < 0 ? "-Infinity" : "Infinity");
    // Many readers parse "-0" as an integer, which loses the sign.
    if (value == 0 && std::signbit(value))
        return write(text, "-0.0");
    auto printed = std::to_chars(text, text + NUMBER_TEXT_MAX, value);
    return static_cast<size_t>(printed.ptr - text);
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

size_t number_print_double(double value, char *text)
{
    return print(value, text);
}

size_t number_print_float(float value, char *text)
{
    return print(value, text);
}
