/* FP16 and BF16 as text: see number.h. */
#include <charconv>
#include <cmath>
#include <cstring>

#include "api/number/decimal.h"
#include "api/number/number.h"

extern "C" {
#include "kernels/core/dtype.h"
}

namespace
{

/* One of the 16-bit formats. */
struct narrow_format {
    uint16_t (*narrow)(double value);
    float (*widen)(uint16_t bits);
    bool (*read)(const char *text, size_t len, uint16_t *bits);
    uint16_t infinity;
    double limit; /* the value after the largest one, if there were one */
};

const narrow_format fp16_format = {half_fp16_from_double, half_fp16_to_float,
                                   number_parse_half, 0x7C00, 0x1p16};
const narrow_format bf16_format = {half_bf16_from_double, half_bf16_to_float,
                                   number_parse_bfloat, 0x7F80, 0x1p128};

/* The value of a bit pattern without sign. */
double value_of(const narrow_format *format, uint16_t bits)
{
    if (bits == format->infinity)
        return format->limit;
    return static_cast<double>(format->widen(bits));
}

/* Rounds a positive decimal in one step. `nearest`, the double next to it, lies
 * on the same side of every midpoint between two narrow values as the decimal,
 * unless it is a midpoint itself: only then the digits are compared. */
uint16_t round_decimal(const narrow_format *format, const char *text,
                       const char *end, double nearest)
{
    uint16_t bits = format->narrow(nearest);
    uint16_t below = bits, above = bits;
    int side;

    if (value_of(format, bits) > nearest)
        below--;
    else
        above++;
    /* Both differences are exact. */
    if (nearest - value_of(format, below) != value_of(format, above) - nearest)
        return bits;
    side = decimal_compare(text, end, nearest);
    if (side == 0)
        return bits;
    return side < 0 ? below : above;
}

bool parse_narrow(const narrow_format *format, const char *text, size_t len,
                  uint16_t *value)
{
    bool negative = *text == '-';
    double nearest;

    if (!number_parse_double(text, len, &nearest))
        return false;
    if (!std::isfinite(nearest)) {
        *value = format->narrow(nearest);
        return true;
    }
    nearest = std::fabs(nearest);
    if (nearest >= format->limit)
        return false;
    *value = round_decimal(format, text, text + len, nearest);
    if (*value >= format->infinity)
        return false;
    if (negative)
        *value |= 0x8000;
    return true;
}

/* Writes digits x 10^power as "3277e1". */
size_t write_decimal(double digits, int power, char *text)
{
    char *end = text + NUMBER_TEXT_MAX;
    char *at = std::to_chars(text, end, static_cast<int>(digits)).ptr;

    *at++ = 'e';
    return static_cast<size_t>(std::to_chars(at, end, power).ptr - text);
}

/* The search for the shortest decimal that reads back to `bits`: an integer of
 * five digits times 10^power, rounded to fewer digits. */
struct search {
    const narrow_format *format;
    uint16_t bits; /* positive, finite, not 0 */
    int power;
    double value;        /* of `bits`, divided by 10^power */
    double lower, upper; /* the midpoints to its neighbours, scaled alike */
};

search start_search(const narrow_format *format, uint16_t bits)
{
    search s = {format, bits, 0, 0, 0, 0};
    double value = value_of(format, bits);
    double below = value_of(format, static_cast<uint16_t>(bits - 1));
    double above = value_of(format, static_cast<uint16_t>(bits + 1));
    double unit;

    s.power = static_cast<int>(std::floor(std::log10(value))) - 4;
    unit = std::pow(10.0, -s.power); /* with a relative error below 1e-15 */
    s.value = value * unit;
    s.lower = (value + below) / 2 * unit;
    s.upper = (value + above) / 2 * unit;
    return s;
}

/* Close to a midpoint the decimal is parsed exactly. */
bool reads_back(const search &s, double digits)
{
    const double doubt = 1e-6;
    char text[NUMBER_TEXT_MAX];
    uint16_t bits;

    if (digits < s.lower - doubt || digits > s.upper + doubt)
        return false;
    if (digits > s.lower + doubt && digits < s.upper - doubt)
        return true;
    return s.format->read(text, write_decimal(digits, s.power, text), &bits) &&
           bits == s.bits;
}

/* The nearest decimal of as few digits as possible. Five are always enough. */
double find_digits(const search &s)
{
    for (double unit = 1e4; unit > 1; unit /= 10) {
        double down = std::floor(s.value / unit) * unit;
        double up = down + unit;
        bool down_first = s.value - down < up - s.value;

        if (reads_back(s, down_first ? down : up))
            return down_first ? down : up;
        if (reads_back(s, down_first ? up : down))
            return down_first ? up : down;
    }
    return std::nearbyint(s.value);
}

size_t print_positive(const narrow_format *format, uint16_t bits, char *text)
{
    char token[NUMBER_TEXT_MAX];
    double value = value_of(format, bits);
    search s = start_search(format, bits);
    double decimal;
    size_t len;

    number_parse_double(token, write_decimal(find_digits(s), s.power, token),
                        &decimal);
    len = number_print_double(decimal, text);
    /* The exact value of a whole number is nearer; used if it is as short. */
    if (value == std::trunc(value) && value < 1e15) {
        char *end = std::to_chars(token, token + sizeof(token),
                                  static_cast<long long>(value))
                        .ptr;
        size_t whole = static_cast<size_t>(end - token);

        if (whole <= len) {
            std::memcpy(text, token, whole);
            return whole;
        }
    }
    return len;
}

/* Prints the shortest text; of several, the nearest to the value. */
size_t print_narrow(const narrow_format *format, uint16_t bits, char *text)
{
    uint16_t magnitude = bits & 0x7FFF;
    bool negative = bits != magnitude;

    if (magnitude == 0 || magnitude >= format->infinity)
        return number_print_float(format->widen(bits), text);
    if (negative)
        *text++ = '-';
    return negative + print_positive(format, magnitude, text);
}

} // namespace

bool number_parse_half(const char *text, size_t len, uint16_t *fp16)
{
    return parse_narrow(&fp16_format, text, len, fp16);
}

bool number_parse_bfloat(const char *text, size_t len, uint16_t *bf16)
{
    return parse_narrow(&bf16_format, text, len, bf16);
}

size_t number_print_half(uint16_t fp16, char *text)
{
    return print_narrow(&fp16_format, fp16, text);
}

size_t number_print_bfloat(uint16_t bf16, char *text)
{
    return print_narrow(&bf16_format, bf16, text);
}
