/* Text to numbers and back: see number.h. */
#include "api/number/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace
{

/* Digits of the largest integer. All numbers with so many fit 64 bits without a
 * sign. */
const long long MOST_DIGITS = 19;

/* Takes the next digit of a decimal, without sign, point and exponent; -1 after
 * the last. */
int next_digit(const char *&at, const char *end)
{
    while (at < end && (*at == '-' || *at == '.'))
        at++;
    return at < end && *at >= '0' && *at <= '9' ? *at++ - '0' : -1;
}

int next_nonzero(const char *&at, const char *end)
{
    int digit = next_digit(at, end);

    while (digit == 0)
        digit = next_digit(at, end);
    return digit;
}

/* Reads the number after the 'e'. It is cut at 2^50: far below overflow, far
 * above the length of any text. */
long long read_exponent(const char *text, const char *end)
{
    const long long enough = 1LL << 50;
    long long value = 0;

    if (text < end && *text == '+')
        text++;
    if (std::from_chars(text, end, value).ec == std::errc::result_out_of_range)
        value = *text == '-' ? -enough : enough;
    return std::clamp(value, -enough, enough);
}

/* The power of ten of the first digit that is not 0: 2 for 123, -3 for 0.004;
 * very small for 0. The number's sign is ignored, here and in compare(). */
long long exponent_of(const char *text, const char *end)
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

/* Compares the decimal's magnitude with that of `value`: negative, 0 or
 * positive. `value` is close to the decimal, is not 0 and has few significant
 * bits. */
int compare(const char *text, const char *end, double value)
{
    /* The longest value is a midpoint of BF16's smallest ones: 94 digits. */
    char exact[160];
    auto printed = std::to_chars(exact, exact + sizeof(exact), std::fabs(value),
                                 std::chars_format::scientific, 120);
    long long ours = exponent_of(text, end);
    long long other = exponent_of(exact, printed.ptr);

    if (ours != other)
        return ours < other ? -1 : 1;
    const char *at = exact;
    int x = next_nonzero(text, end), y = next_digit(at, printed.ptr);
    while (x >= 0 || y >= 0) {
        if (std::max(x, 0) != std::max(y, 0))
            return x < y ? -1 : 1;
        x = next_digit(text, end);
        y = next_digit(at, printed.ptr);
    }
    return 0;
}

/* libstdc++ 12 reports underflow and overflow alike, and does not change the
 * value in either case. */
template <typename real> bool parse(const char *text, size_t len, real *value)
{
    const char *end = text + len;
    bool is_word = text[*text == '-'] > '9';

    if (std::from_chars(text, end, *value).ec != std::errc()) {
        if (exponent_of(text, end) >= 0)
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

/* One of the 16-bit formats. */
struct narrow_format {
    uint16_t (*narrow)(double value);
    float (*widen)(uint16_t bits);
    uint16_t infinity;
    double limit; /* the value after the largest one, if there were one */
};

constexpr narrow_format fp16_format = {half_fp16_from_double,
                                       half_fp16_to_float, 0x7C00, 0x1p16};
constexpr narrow_format bf16_format = {half_bf16_from_double,
                                       half_bf16_to_float, 0x7F80, 0x1p128};

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
    side = compare(text, end, nearest);
    if (side == 0)
        return bits;
    return side < 0 ? below : above;
}

/* A 16-bit float as a type of its own. */
template <const narrow_format *format> struct narrow {
    uint16_t bits;
};
using fp16 = narrow<&fp16_format>;
using bf16 = narrow<&bf16_format>;

template <const narrow_format *format>
bool parse(const char *text, size_t len, narrow<format> *value)
{
    bool negative = *text == '-';
    double nearest;

    if (!parse(text, len, &nearest))
        return false;
    if (!std::isfinite(nearest)) {
        value->bits = format->narrow(nearest);
        return true;
    }
    nearest = std::fabs(nearest);
    if (nearest >= format->limit)
        return false;
    value->bits = round_decimal(format, text, text + len, nearest);
    if (value->bits >= format->infinity)
        return false;
    if (negative)
        value->bits |= 0x8000;
    return true;
}

/* The nearest decimal of as few digits as possible that reads back to `bits`,
 * which is positive, finite and not 0: an integer of five digits, or rounded to
 * fewer, times 10^power. Five are always enough. The errors of the products,
 * below 1e-15, decide nothing: a decimal of so few digits is far from the
 * midpoints to the neighbours, or it is one, but of whole numbers only. */
float find_decimal(const narrow_format *format, uint16_t bits)
{
    const double value = value_of(format, bits);
    const double below = value_of(format, static_cast<uint16_t>(bits - 1));
    const double above = value_of(format, static_cast<uint16_t>(bits + 1));
    const double power = std::floor(std::log10(value)) - 4;
    const double scale = std::pow(10.0, -power), exact = value * scale;
    const double lower = (value + below) / 2 * scale;
    const double upper = (value + above) / 2 * scale;
    double found = std::nearbyint(exact);

    for (double unit = 10; unit <= 1e4; unit *= 10) {
        double down = std::floor(exact / unit) * unit, up = down + unit;

        if (up - exact <= exact - down)
            std::swap(down, up); /* the nearer one first */
        if (down > lower && down < upper)
            found = down;
        else if (up > lower && up < upper)
            found = up;
    }
    return static_cast<float>(found * std::pow(10.0, power));
}

size_t print_positive(const narrow_format *format, uint16_t bits, char *text)
{
    char token[NUMBER_TEXT_MAX];
    double value = value_of(format, bits);
    size_t len = print(find_decimal(format, bits), text);

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
template <const narrow_format *format>
size_t print(narrow<format> value, char *text)
{
    uint16_t magnitude = value.bits & 0x7FFF;
    bool negative = value.bits != magnitude;

    if (magnitude == 0 || magnitude >= format->infinity)
        return print(format->widen(value.bits), text);
    if (negative)
        *text++ = '-';
    return negative + print_positive(format, magnitude, text);
}

template <typename T> T load(const unsigned char *data, uint64_t index)
{
    T value;

    std::memcpy(&value, data + index * sizeof(value), sizeof(value));
    return value;
}

template <typename T> void store(unsigned char *data, uint64_t index, T value)
{
    std::memcpy(data + index * sizeof(value), &value, sizeof(value));
}

template <typename T> size_t write_integer(T value, char *out)
{
    return static_cast<size_t>(
        std::to_chars(out, out + NUMBER_TEXT_MAX, value).ptr - out);
}

/* "-0" is 0 for an unsigned type too. */
template <typename T> T read_integer(const char *token, size_t len)
{
    T value = 0;

    std::from_chars(token, token + len, value);
    return value;
}

size_t print_bool(const unsigned char *data, uint64_t index, char *out)
{
    return write(out, data[index] ? "true" : "false");
}

void store_bool(unsigned char *data, uint64_t index, const char *token, size_t)
{
    data[index] = *token == 't';
}

template <typename T>
size_t print_integer(const unsigned char *data, uint64_t index, char *out)
{
    return write_integer(load<T>(data, index), out);
}

template <typename T>
void store_integer(unsigned char *data, uint64_t index, const char *token,
                   size_t len)
{
    store(data, index, read_integer<T>(token, len));
}

/* Where a value of `bits` bits is in its byte: the number of lower bits. */
template <unsigned bits, bool high_first> unsigned shift_of(uint64_t index)
{
    unsigned lower = static_cast<unsigned>(index % (8 / bits)) * bits;

    return high_first ? 8 - bits - lower : lower;
}

template <unsigned bits, bool high_first, bool is_signed>
size_t print_packed(const unsigned char *data, uint64_t index, char *out)
{
    int value = data[index / (8 / bits)] >> shift_of<bits, high_first>(index);

    value &= (1 << bits) - 1;
    if (is_signed && value >> (bits - 1))
        value -= 1 << bits;
    return write_integer(value, out);
}

/* The first value of a byte sets the rest of it to 0. */
template <unsigned bits, bool high_first>
void store_packed(unsigned char *data, uint64_t index, const char *token,
                  size_t len)
{
    unsigned char *byte = data + index / (8 / bits);
    int value = read_integer<int>(token, len) & ((1 << bits) - 1);
    int others = index % (8 / bits) ? *byte : 0;

    value <<= shift_of<bits, high_first>(index);
    *byte = static_cast<unsigned char>(others | value);
}

template <typename T>
size_t print_float(const unsigned char *data, uint64_t index, char *out)
{
    return print(load<T>(data, index), out);
}

template <typename T>
void store_float(unsigned char *data, uint64_t index, const char *token,
                 size_t len)
{
    T value = {};

    parse(token, len, &value);
    store(data, index, value);
}

template <typename T> bool holds(const char *token, size_t len)
{
    T value;

    return parse(token, len, &value);
}

const float_range fp16_range = {4, holds<fp16>, "65504"};
const float_range bf16_range = {38, holds<bf16>, "3.3895314e+38"};
const float_range fp32_range = {38, holds<float>, "3.4028235e+38"};
const float_range fp64_range = {308, holds<double>, "1.7976931348623157e+308"};

struct row {
    enum dtype dtype;
    value_format format;
};

template <typename T> constexpr value_format integer(size_t bound)
{
    return {bound, print_integer<T>, store_integer<T>, nullptr};
}

template <unsigned bits, bool high_first, bool is_signed>
constexpr value_format packed(size_t bound)
{
    return {bound, print_packed<bits, high_first, is_signed>,
            store_packed<bits, high_first>, nullptr};
}

template <typename T>
constexpr value_format real(size_t bound, const float_range *range)
{
    return {bound, print_float<T>, store_float<T>, range};
}

/* In the order of enum dtype. The longest texts are false, -128, ...,
 * -9223372036854775808, -Infinity, -6.1035e-05, -1.17549435e-38 and
 * -2.2250738585072014e-308. */
constexpr row rows[DTYPE_COUNT] = {
    {DTYPE_BOOL, {6, print_bool, store_bool, nullptr}},
    {DTYPE_INT8, integer<int8_t>(5)},
    {DTYPE_INT16, integer<int16_t>(7)},
    {DTYPE_INT32, integer<int32_t>(12)},
    {DTYPE_INT64, integer<int64_t>(21)},
    {DTYPE_UINT8, integer<uint8_t>(4)},
    {DTYPE_UINT16, integer<uint16_t>(6)},
    {DTYPE_UINT32, integer<uint32_t>(11)},
    {DTYPE_UINT64, integer<uint64_t>(21)},
    {DTYPE_FP16, real<fp16>(12, &fp16_range)},
    {DTYPE_BF16, real<bf16>(12, &bf16_range)},
    {DTYPE_FP32, real<float>(16, &fp32_range)},
    {DTYPE_FP64, real<double>(25, &fp64_range)},
    {DTYPE_COMPLEX64, real<float>(16, &fp32_range)},
    {DTYPE_COMPLEX128, real<double>(25, &fp64_range)},
    {DTYPE_BYTES, {}},
    {DTYPE_INT4, packed<4, false, true>(3)},
    {DTYPE_UINT4, packed<4, false, false>(3)},
    {DTYPE_UINT2, packed<2, true, false>(2)},
    {DTYPE_UINT1, packed<1, true, false>(2)},
};

constexpr bool is_in_order(int count)
{
    return count == 0 ||
           (rows[count - 1].dtype == count - 1 && is_in_order(count - 1));
}

static_assert(is_in_order(DTYPE_UINT1 + 1), "row i is that of datatype i");

} // namespace

enum integer_kind integer_read(const char *text, size_t len, int64_t *value)
{
    const char *end = text + len;
    long long exponent = exponent_of(text, end);
    bool negative = *text == '-';
    int digit = next_nonzero(text, end);
    uint64_t number = 0;

    *value = 0;
    if (digit < 0)
        return INTEGER_EXACT;
    if (exponent >= MOST_DIGITS)
        return INTEGER_TOO_LARGE;
    for (; exponent >= 0; exponent--) {
        number = number * 10 + static_cast<uint64_t>(digit > 0 ? digit : 0);
        digit = next_digit(text, end);
    }
    if (digit > 0 || next_nonzero(text, end) > 0)
        return INTEGER_FRACTION;
    if (number > static_cast<uint64_t>(INT64_MAX) + negative)
        return INTEGER_TOO_LARGE;
    *value = static_cast<int64_t>(negative ? 0 - number : number);
    return INTEGER_EXACT;
}

bool number_parse_double(const char *text, size_t len, double *value)
{
    return parse(text, len, value);
}

size_t number_print_double(double value, char *text)
{
    return print(value, text);
}

const struct value_format *number_format(enum dtype dtype)
{
    return &rows[dtype].format;
}
