/* The JSON form of each datatype: see value_format.h. */
#include "api/number/value_format.h"

#include <charconv>
#include <cstring>

#include "api/number/number.h"

namespace
{

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
    size_t len = data[index] ? 4 : 5;

    std::memcpy(out, data[index] ? "true" : "false", len);
    return len;
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

template <typename T, size_t (*print)(T, char *)>
size_t print_float(const unsigned char *data, uint64_t index, char *out)
{
    return print(load<T>(data, index), out);
}

template <typename T, bool (*parse)(const char *, size_t, T *)>
void store_float(unsigned char *data, uint64_t index, const char *token,
                 size_t len)
{
    T value = 0;

    parse(token, len, &value);
    store(data, index, value);
}

template <typename T, bool (*parse)(const char *, size_t, T *)>
bool holds(const char *token, size_t len)
{
    T value;

    return parse(token, len, &value);
}

const float_range fp16_range = {4, holds<uint16_t, number_parse_half>, "65504"};
const float_range bf16_range = {38, holds<uint16_t, number_parse_bfloat>,
                                "3.3895314e+38"};
const float_range fp32_range = {38, holds<float, number_parse_float>,
                                "3.4028235e+38"};
const float_range fp64_range = {308, holds<double, number_parse_double>,
                                "1.7976931348623157e+308"};

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

constexpr value_format fp16 = {12, print_float<uint16_t, number_print_half>,
                               store_float<uint16_t, number_parse_half>,
                               &fp16_range};
constexpr value_format bf16 = {12, print_float<uint16_t, number_print_bfloat>,
                               store_float<uint16_t, number_parse_bfloat>,
                               &bf16_range};
constexpr value_format fp32 = {16, print_float<float, number_print_float>,
                               store_float<float, number_parse_float>,
                               &fp32_range};
constexpr value_format fp64 = {25, print_float<double, number_print_double>,
                               store_float<double, number_parse_double>,
                               &fp64_range};

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
    {DTYPE_FP16, fp16},
    {DTYPE_BF16, bf16},
    {DTYPE_FP32, fp32},
    {DTYPE_FP64, fp64},
    {DTYPE_COMPLEX64, fp32},
    {DTYPE_COMPLEX128, fp64},
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

const struct value_format *value_format_get(enum dtype dtype)
{
    return &rows[dtype].format;
}
