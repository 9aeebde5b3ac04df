#include "tests/api/infer/elements.h"

#include <check.h>
#include <string.h>

#include "tests/kernels/naive.h"

enum { SAMPLES = 8 };

struct sample {
    const char *text;  /* NULL: the datatype has no JSON form */
    const char *hex;   /* little-endian; NULL ends the list */
    const char *shown; /* NULL: as `text` */
};

/* Of datatypes that are moved as they are. */
#define PATTERNS(a, b, c, d, e)                                                \
    {                                                                          \
        {NULL, "00", NULL}, {NULL, a, NULL}, {NULL, b, NULL}, {NULL, c, NULL}, \
            {NULL, d, NULL}, {NULL, e, NULL}, {NULL, "05", NULL},              \
    }

/* Written down from the formats' definitions, with Python's struct module for
 * the decimals; u1 and u2 lie in the high bits, the 4-bit types in the low. */
static const struct sample samples[DTYPE_COUNT][SAMPLES] = {
    [DTYPE_BOOL] = {{"true", "01", NULL}, {"false", "00", NULL}},
    [DTYPE_INT8] = {{"-128", "80", NULL},
                    {"127", "7f", NULL},
                    {"0", "00", NULL},
                    {"-1", "ff", NULL},
                    {"42", "2a", NULL},
                    {"7", "07", NULL},
                    {"-100", "9c", NULL}},
    [DTYPE_INT16] = {{"-32768", "0080", NULL},
                     {"32767", "ff7f", NULL},
                     {"0", "0000", NULL},
                     {"-1", "ffff", NULL},
                     {"258", "0201", NULL},
                     {"-515", "fdfd", NULL},
                     {"7", "0700", NULL}},
    [DTYPE_INT32] = {{"-2147483648", "00000080", NULL},
                     {"2147483647", "ffffff7f", NULL},
                     {"0", "00000000", NULL},
                     {"-1", "ffffffff", NULL},
                     {"16909060", "04030201", NULL},
                     {"-2", "feffffff", NULL},
                     {"7", "07000000", NULL}},
    [DTYPE_INT64] = {{"-9223372036854775808", "0000000000000080", NULL},
                     {"9223372036854775807", "ffffffffffffff7f", NULL},
                     {"0", "0000000000000000", NULL},
                     {"-1", "ffffffffffffffff", NULL},
                     {"9007199254740993", "0100000000002000", NULL},
                     {"-9007199254740993", "ffffffffffffdfff", NULL},
                     {"7", "0700000000000000", NULL}},
    [DTYPE_UINT8] = {{"0", "00", NULL},
                     {"255", "ff", NULL},
                     {"128", "80", NULL},
                     {"1", "01", NULL},
                     {"42", "2a", NULL},
                     {"77", "4d", NULL},
                     {"200", "c8", NULL}},
    [DTYPE_UINT16] = {{"0", "0000", NULL},
                      {"65535", "ffff", NULL},
                      {"32768", "0080", NULL},
                      {"1", "0100", NULL},
                      {"258", "0201", NULL},
                      {"77", "4d00", NULL},
                      {"513", "0102", NULL}},
    [DTYPE_UINT32] = {{"0", "00000000", NULL},
                      {"4294967295", "ffffffff", NULL},
                      {"2147483648", "00000080", NULL},
                      {"1", "01000000", NULL},
                      {"16909060", "04030201", NULL},
                      {"77", "4d000000", NULL},
                      {"5", "05000000", NULL}},
    [DTYPE_UINT64] = {{"0", "0000000000000000", NULL},
                      {"18446744073709551615", "ffffffffffffffff", NULL},
                      {"9223372036854775808", "0000000000000080", NULL},
                      {"1", "0100000000000000", NULL},
                      {"9007199254740993", "0100000000002000", NULL},
                      {"77", "4d00000000000000", NULL},
                      {"5", "0500000000000000", NULL}},
    [DTYPE_FP16] = {{"1.5", "003e", NULL},
                    {"-0.0", "0080", NULL},
                    {"NaN", "007e", NULL},
                    {"-Infinity", "00fc", NULL},
                    {"65504", "ff7b", NULL},
                    {"0.333251953125", "5535", "0.3333"},
                    {"1e-400", "0000", "0"},
                    {"2049", "0068", "2048"}},
    [DTYPE_BF16] = {{"1.5", "c03f", NULL},
                    {"-0.0", "0080", NULL},
                    {"NaN", "c07f", NULL},
                    {"Infinity", "807f", NULL},
                    {"-3", "40c0", NULL},
                    {"0.333984375", "ab3e", "0.334"},
                    {"257", "8043", "256"},
                    {"7", "e040", NULL}},
    [DTYPE_FP32] = {{"1.5", "0000c03f", NULL},
                    {"-0.0", "00000080", NULL},
                    {"NaN", "0000c07f", NULL},
                    {"-Infinity", "000080ff", NULL},
                    {"0.1", "cdcccc3d", NULL},
                    {"16777217", "0000804b", "16777216"},
                    {"3.4028235e+38", "ffff7f7f", NULL},
                    {"1E-45", "01000000", "1e-45"}},
    [DTYPE_FP64] = {{"1.5", "000000000000f83f", NULL},
                    {"-0", "0000000000000080", "-0.0"},
                    {"NaN", "000000000000f87f", NULL},
                    {"Infinity", "000000000000f07f", NULL},
                    {"0.1", "9a9999999999b93f", NULL},
                    {"9007199254740993", "0000000000004043",
                     "9007199254740992"},
                    {"1.7976931348623157e+308", "ffffffffffffef7f", NULL},
                    {"0.10000000000000001", "9a9999999999b93f", "0.1"}},
    [DTYPE_COMPLEX64] = {{"1.5,-2", "0000c03f000000c0", NULL},
                         {"NaN,Infinity", "0000c07f0000807f", NULL},
                         {"0.1,-0.0", "cdcccc3d00000080", NULL},
                         {"7,8", "0000e04000000041", NULL},
                         {"-Infinity,0", "000080ff00000000", NULL}},
    [DTYPE_COMPLEX128] = {{"1.5,-2", "000000000000f83f00000000000000c0", NULL},
                          {"NaN,Infinity", "000000000000f87f000000000000f07f",
                           NULL},
                          {"0.1,-0.0", "9a9999999999b93f0000000000000080",
                           NULL},
                          {"7,8", "0000000000001c400000000000002040", NULL},
                          {"3,0.25", "0000000000000840000000000000d03f", NULL}},
    [DTYPE_BYTES] = {{"\"\"", "00000000", NULL},
                     {"\"a\"", "0100000061", NULL},
                     {"\"\\u00e9t\\u00E9\"", "05000000c3a974c3a9",
                      "\"\303\251t\303\251\""},
                     {"\"\346\227\245\346\234\254\350\252\236\"",
                      "09000000e697a5e69cace8aa9e", NULL},
                     {"\"\\u0000x\"", "020000000078", NULL},
                     {"\"\\ud83d\\ude00\"", "04000000f09f9880",
                      "\"\360\237\230\200\""},
                     {"\"q\\\"\\\\\\/\"", "0400000071225c2f", "\"q\\\"\\\\/\""},
                     {"\"],[{,:\"", "060000005d2c5b7b2c3a", NULL}},
    [DTYPE_INT4] = {{"-8", "08", NULL},
                    {"7", "07", NULL},
                    {"0", "00", NULL},
                    {"-1", "0f", NULL},
                    {"3", "03", NULL},
                    {"5", "05", NULL},
                    {"-4", "0c", NULL}},
    [DTYPE_UINT4] = {{"0", "00", NULL},
                     {"15", "0f", NULL},
                     {"8", "08", NULL},
                     {"1", "01", NULL},
                     {"3", "03", NULL},
                     {"5", "05", NULL},
                     {"10", "0a", NULL}},
    [DTYPE_UINT2] = {{"0", "00", NULL},
                     {"3", "c0", NULL},
                     {"1", "40", NULL},
                     {"2", "80", NULL},
                     {"3", "c0", NULL}},
    [DTYPE_UINT1] = {{"1", "80", NULL},
                     {"0", "00", NULL},
                     {"0", "00", NULL},
                     {"1", "80", NULL},
                     {"1", "80", NULL}},
    [DTYPE_FP8_E4M3] = PATTERNS("ff", "7f", "80", "3c", "c1"),
    [DTYPE_FP8_E5M2] = PATTERNS("ff", "7f", "80", "3c", "c1"),
    [DTYPE_FP8_E8M0] = PATTERNS("ff", "7f", "80", "3c", "c1"),
    [DTYPE_FP4_E2M1] = PATTERNS("0f", "07", "08", "03", "0c"),
    [DTYPE_NF4] = PATTERNS("0f", "07", "08", "03", "0c"),
};

bool elements_have_text(enum dtype dtype)
{
    return samples[dtype][0].text != NULL;
}

static size_t from_hex(const char *hex, unsigned char *out)
{
    size_t len = strlen(hex) / 2;
    unsigned byte;

    for (size_t i = 0; i < len; i++) {
        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (unsigned char)byte;
    }
    return len;
}

struct element element_at(enum dtype dtype, uint64_t index)
{
    const struct sample *list = samples[dtype];
    uint64_t count = 0;
    struct element e;

    while (count < SAMPLES && list[count].hex)
        count++;
    list += (index * 5 + index / count * 3 + index / 4) % count;
    e.text = list->text;
    e.shown = list->shown ? list->shown : list->text;
    e.size = from_hex(list->hex, e.bytes);
    return e;
}

size_t elements_pack(enum dtype dtype, const uint64_t *order, uint64_t count,
                     unsigned char *out)
{
    const struct dtype_traits *info = dtype_info(dtype);
    struct element_format format = {info->bits, info->high_first};
    size_t size = 0;

    if (info->bits > 0) {
        size = naive_bytes(&format, count);
        memset(out, 0, size);
    }
    for (uint64_t i = 0; i < count; i++) {
        struct element e = element_at(dtype, order[i]);

        if (info->bits > 0) {
            naive_copy_element(&format, e.bytes, 0, out, i);
        } else {
            memcpy(out + size, e.bytes, e.size);
            size += e.size;
        }
    }
    return size;
}

void elements_print(FILE *out, enum dtype dtype, const uint64_t *order,
                    uint64_t count, bool shown)
{
    for (uint64_t i = 0; i < count; i++) {
        struct element e = element_at(dtype, order[i]);

        fprintf(out, "%s%s", i ? "," : "", shown ? e.shown : e.text);
    }
}

char *elements_text(enum dtype dtype, const uint64_t *order, uint64_t count,
                    bool shown)
{
    size_t len;
    char *text;
    FILE *out = open_memstream(&text, &len);

    fputc('[', out);
    elements_print(out, dtype, order, count, shown);
    fputc(']', out);
    fclose(out);
    return text;
}
