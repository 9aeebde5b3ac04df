#include "api/lex/numbers.h"
#include "api/lex/scan.h"
#include "kernels/core/isa.h"
#include "tests/api/lex/simd_tables.h"

static void numbers(struct comma_index *index, const char *text, size_t blocks)
{
    (void)text;
    (void)blocks;
    index->stopped = true;
}

static uint64_t rows(struct row_index *rows, const char *text,
                     const struct comma_index *commas)
{
    (void)rows;
    (void)text;
    (void)commas;
    return 0;
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    (void)end;
    (void)depth;
    return text;
}

static char *flatten(const char *from, const char *end, char *out)
{
    for (; from < end; from++)
        if (!scan_is_space(*from) && *from != '[' && *from != ']')
            *out++ = *from;
    return out;
}

const struct json_simd json_simd_bytewise = {"bytewise", numbers, rows, lists,
                                             flatten};

const struct json_simd *simd_tables_get(int i)
{
    static const struct json_simd *tables[ISA_COUNT + 2];

    /* Asked once: CPUID takes 20 us in a virtual machine. */
    for (int k = 0; !tables[k] && k <= ISA_COUNT; k++)
        tables[k] = k == 0 ? &json_simd_portable : json_simd_supported(k - 1);
    return tables[i];
}
