#include "tests/api/infer/elements.h"

#include <check.h>
#include <string.h>

#include "tests/kernels/naive.h"

/* "text hex shown" of each sample, separated by ';'. `hex` is little-endian;
 * `shown` is left out where it is as `text`; "-" is no text. Written down from
 * the formats' definitions, with Python's struct module for the decimals; u1
 * and u2 lie in the high bits, the 4-bit types in the low. */
static const char *const samples[DTYPE_COUNT] = {
    [DTYPE_BOOL] = "true 01;false 00",
    [DTYPE_INT8] = "-128 80;127 7f;0 00;-1 ff;42 2a;7 07;-100 9c",
    [DTYPE_INT16] = "-32768 0080;32767 ff7f;0 0000;-1 ffff;258 0201;-515 fdfd;"
                    "7 0700",
    [DTYPE_INT32] = "-2147483648 00000080;2147483647 ffffff7f;0 00000000;"
                    "-1 ffffffff;16909060 04030201;-2 feffffff;7 07000000",
    [DTYPE_INT64] = "-9223372036854775808 0000000000000080;"
                    "9223372036854775807 ffffffffffffff7f;0 0000000000000000;"
                    "-1 ffffffffffffffff;9007199254740993 0100000000002000;"
                    "-9007199254740993 ffffffffffffdfff;7 0700000000000000",
    [DTYPE_UINT8] = "0 00;255 ff;128 80;1 01;42 2a;77 4d;200 c8",
    [DTYPE_UINT16] =
        "0 0000;65535 ffff;32768 0080;1 0100;258 0201;77 4d00;513 0102",
    [DTYPE_UINT32] =
        "0 00000000;4294967295 ffffffff;2147483648 00000080;1 01000000;"
        "16909060 04030201;77 4d000000;5 05000000",
    [DTYPE_UINT64] = "0 0000000000000000;18446744073709551615 ffffffffffffffff;"
                     "9223372036854775808 0000000000000080;1 0100000000000000;"
                     "9007199254740993 0100000000002000;77 4d00000000000000;"
                     "5 0500000000000000",
    [DTYPE_FP16] = "1.5 003e;-0.0 0080;NaN 007e;-Infinity 00fc;65504 ff7b;"
                   "0.333251953125 5535 0.3333;1e-400 0000 0;2049 0068 2048",
    [DTYPE_BF16] = "1.5 c03f;-0.0 0080;NaN c07f;Infinity 807f;-3 40c0;"
                   "0.333984375 ab3e 0.334;257 8043 256;7 e040",
    [DTYPE_FP32] = "1.5 0000c03f;-0.0 00000080;NaN 0000c07f;-Infinity 000080ff;"
                   "0.1 cdcccc3d;16777217 0000804b 16777216;"
                   "3.4028235e+38 ffff7f7f;1E-45 01000000 1e-45",
    [DTYPE_FP64] = "1.5 000000000000f83f;-0 0000000000000080 -0.0;"
                   "NaN 000000000000f87f;Infinity 000000000000f07f;"
                   "0.1 9a9999999999b93f;"
                   "9007199254740993 0000000000004043 9007199254740992;"
                   "1.7976931348623157e+308 ffffffffffffef7f;"
                   "0.10000000000000001 9a9999999999b93f 0.1",
    [DTYPE_COMPLEX64] = "1.5,-2 0000c03f000000c0;NaN,Infinity 0000c07f0000807f;"
                        "0.1,-0.0 cdcccc3d00000080;7,8 0000e04000000041;"
                        "-Infinity,0 000080ff00000000",
    [DTYPE_COMPLEX128] = "1.5,-2 000000000000f83f00000000000000c0;"
                         "NaN,Infinity 000000000000f87f000000000000f07f;"
                         "0.1,-0.0 9a9999999999b93f0000000000000080;"
                         "7,8 0000000000001c400000000000002040;"
                         "3,0.25 0000000000000840000000000000d03f",
    [DTYPE_BYTES] =
        "\"\" 00000000;\"a\" 0100000061;"
        "\"\\u00e9t\\u00E9\" 05000000c3a974c3a9 \"\303\251t\303\251\";"
        "\"\346\227\245\346\234\254\350\252\236\" 09000000e697a5e69cace8aa9e;"
        "\"\\u0000x\" 020000000078;"
        "\"\\ud83d\\ude00\" 04000000f09f9880 \"\360\237\230\200\";"
        "\"q\\\"\\\\\\/\" 0400000071225c2f \"q\\\"\\\\/\";"
        "\"],[{,:\" 060000005d2c5b7b2c3a",
    [DTYPE_INT4] = "-8 08;7 07;0 00;-1 0f;3 03;5 05;-4 0c",
    [DTYPE_UINT4] = "0 00;15 0f;8 08;1 01;3 03;5 05;10 0a",
    [DTYPE_UINT2] = "0 00;3 c0;1 40;2 80;3 c0",
    [DTYPE_UINT1] = "1 80;0 00;0 00;1 80;1 80",
    [DTYPE_FP8_E4M3] = "- 00;- ff;- 7f;- 80;- 3c;- c1;- 05",
    [DTYPE_FP8_E5M2] = "- 00;- ff;- 7f;- 80;- 3c;- c1;- 05",
    [DTYPE_FP8_E8M0] = "- 00;- ff;- 7f;- 80;- 3c;- c1;- 05",
    [DTYPE_FP4_E2M1] = "- 00;- 0f;- 07;- 08;- 03;- 0c;- 05",
    [DTYPE_NF4] = "- 00;- 0f;- 07;- 08;- 03;- 0c;- 05",
};

bool elements_have_text(enum dtype dtype)
{
    return strncmp(samples[dtype], "- ", 2) != 0;
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
    const char *at = samples[dtype];
    char hex[ELEMENT_TEXT];
    struct element e;
    uint64_t count = 1;

    for (const char *c = at; *c; c++)
        count += *c == ';';
    index = (index * 5 + index / count * 3 + index / 4) % count;
    while (index-- > 0)
        at = strchr(at, ';') + 1;
    /* 64 is ELEMENT_TEXT */
    if (sscanf(at, "%63[^ ;] %63[^ ;] %63[^ ;]", e.text, hex, e.shown) < 3)
        memcpy(e.shown, e.text, sizeof(e.text));
    e.size = from_hex(hex, e.bytes);
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
