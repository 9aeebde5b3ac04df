#include "tests/api/lex/random_list.h"

#include <stdio.h>
#include <string.h>

const enum dtype random_list_types[RANDOM_LIST_TYPES] = {
    DTYPE_FP32,  DTYPE_FP64,  DTYPE_FP16,   DTYPE_BF16,  DTYPE_COMPLEX64,
    DTYPE_INT8,  DTYPE_INT16, DTYPE_INT32,  DTYPE_INT64, DTYPE_UINT8,
    DTYPE_UINT4, DTYPE_INT4,  DTYPE_UINT32, DTYPE_UINT64};

static uint32_t state;

bool random_list_is_float(enum dtype dtype)
{
    enum dtype_kind kind = dtype_info(dtype)->kind;

    return kind != DTYPE_KIND_INT && kind != DTYPE_KIND_UINT;
}

void random_list_seed(uint32_t seed)
{
    state = seed;
}

uint32_t random_list_pick(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)state * limit) >> 32);
}

/* Numbers between blanks; the first six, or five, are common ones. */
static const char floats[] =
    "0.12345678 -0.5 0 12.25 1e-7 1.5E-05 1e5 -1e+06 3.14159 100 -0 "
    "0e0 NaN -Infinity 123456789012345678901234 65504 65520 1e39 "
    "1e-400 0.00000000000000000000001 "
    "340282350000000000000000000000000000000 "
    "999999999999999999999999999999999999999";
static const char integers[] =
    "0 7 -8 12 127 -128 128 255 256 -0 15 32767 65535 2147483647 "
    "-2147483648 2147483648 4294967295 9223372036854775807 "
    "-9223372036854775808 18446744073709551615 18446744073709551616 1 "
    "2 3";
enum { FLOATS = 22, INTEGERS = 24 };

static const char *const separators[] = {",",  ",",   ", ", ",\n    ",
                                         " ,", "],[", ", ", "], ["};

size_t random_list_write(char *text, bool is_float, int lead, int count,
                         bool wild)
{
    size_t len = (size_t)sprintf(text, "[");
    const char *separator = separators[random_list_pick(4)];

    if (lead > 0)
        len +=
            (size_t)sprintf(text + len, is_float ? "0.%0*d," : "%*d,", lead, 1);
    for (int i = 0; i < count && len < RANDOM_LIST_MAX - 100; i++) {
        const char *token = is_float ? floats : integers;
        uint32_t common = is_float ? 6 : 5, all = is_float ? FLOATS : INTEGERS;

        for (uint32_t n = random_list_pick(wild ? all : common); n > 0; n--)
            token = strchr(token, ' ') + 1;
        if (wild && random_list_pick(20) == 0)
            separator = separators[random_list_pick(8)];
        if (i > 0)
            len += (size_t)sprintf(text + len, "%s", separator);
        len += (size_t)sprintf(text + len, "%.*s", (int)strcspn(token, " "),
                               token);
    }
    return len + (size_t)sprintf(text + len, "]");
}

size_t random_list_write_nested(char *text, int lists, int row,
                                const char *space)
{
    size_t len = 0;

    text[len++] = '[';
    for (int i = 0; i < lists; i++) {
        len += (size_t)sprintf(text + len, "%s[", i > 0 ? space : "");
        for (int k = 0; k < row; k++)
            len += (size_t)sprintf(text + len, "%s%u", k > 0 ? space : "",
                                   random_list_pick(1000));
        text[len++] = ']';
    }
    text[len++] = ']';
    return len;
}
