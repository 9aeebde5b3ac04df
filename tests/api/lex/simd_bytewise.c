#include "api/lex/numbers.h"
#include "api/lex/scan.h"
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

const struct json_simd json_simd_bytewise = {numbers, rows, lists, flatten};

const struct json_simd *simd_tables_get(int i)
{
    static const struct json_simd *tables[ISA_COUNT + 2];
    int count = 0;

    if (i == 0)
        return &json_simd_portable;
    /* Asked once: CPUID takes 20 us in a virtual machine. */
    for (int isa = tables[0] ? -1 : ISA_COUNT - 1; isa >= 0; isa--)
        if (isa_is_supported((enum isa)isa))
            tables[count++] = json_simd_tables[isa];
    return tables[i - 1];
}

const char *simd_tables_name(const struct json_simd *simd)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (json_simd_tables[isa] == simd)
            return isa_name((enum isa)isa);
    return "portable";
}

static const struct json_simd *selected;

void simd_tables_select(const struct json_simd *simd)
{
    selected = simd;
}

/* The linker calls these two for json_simd_active() in a test. */
const struct json_simd *__real_json_simd_active(void);
const struct json_simd *__wrap_json_simd_active(void);

const struct json_simd *__wrap_json_simd_active(void)
{
    return selected ? selected : __real_json_simd_active();
}
