#include "tests/api/lex/simd_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "api/lex/scan.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/core/require.h"
#include "tests/api/lex/simd_tables.h"

struct outcome {
    bool accepted;
    struct status st;
    struct span *rows;
    char *out;
    size_t out_len;
    size_t end; /* of the array; 0 when it is not closed */
};

static void *allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);

    REQUIRE(memory);
    memset(memory, 0x55, size);
    return memory;
}

/* All rows in reverse order. */
static size_t emit(const struct data_array *a, const struct span *rows,
                   uint64_t count, char *out)
{
    struct span *reversed = allocate((size_t)count * sizeof(*reversed));
    size_t len;

    for (uint64_t i = 0; i < count; i++)
        reversed[i] = rows[count - 1 - i];
    len = tensor_json_emit(
        &(struct tensor_json_job){
            .array = a,
            .permutation = &(struct permutation){.row_count = count}},
        reversed, count, out, a->len);
    free(reversed);
    return len;
}

/* The index has each comma before its end, and no other bit. */
static void check_commas(const struct data_array *a,
                         const struct comma_index *commas)
{
    const char *first = a->text + commas->first, *end = a->text + commas->end;
    const char *at = first;
    int bits = 0, missing = 0;

    REQUIRE(commas->count <= commas->capacity);
    REQUIRE(commas->end <= a->len);
    for (size_t i = 0; i < commas->count; i++)
        bits += __builtin_popcountll(commas->words[i]);
    while (at < end && (at = memchr(at, ',', (size_t)(end - at)))) {
        size_t i = (size_t)(at++ - first);

        missing += !(commas->words[i / 64] >> i % 64 & 1);
        bits--;
    }
    REQUIRE(missing == 0 && bits == 0);
    REQUIRE(commas->end == commas->first || end[-1] == ',');
}

/* The array arrives in five parts, each in memory of just its size. `commas`
 * has memory for most of it. */
static void read_early(const struct data_array *a,
                       const struct number_range *range,
                       struct comma_index *commas)
{
    const size_t steps[] = {a->len / 7, a->len / 3, a->len / 3 + 1,
                            a->len - a->len / 5, a->len};
    size_t first = 1;

    while (first < a->len && scan_is_space(a->text[first]))
        first++;
    comma_index_start(commas, range, first);
    for (int i = 0; i < 5; i++) {
        char *part = allocate(steps[i]);

        memcpy(part, a->text, steps[i]);
        comma_index_append(commas, part, steps[i]);
        free(part);
    }
    check_commas(a, commas);
}

/* `commas` may be NULL. */
static struct outcome run(const struct data_array *whole, uint64_t row,
                          const struct json_simd *simd,
                          const struct comma_index *commas)
{
    struct outcome o = {.accepted = false};
    struct data_array copy = *whole, *a = &copy;
    uint64_t count = a->count / row;
    const char *end;

    simd_tables_select(simd);
    a->commas = commas;
    o.rows = allocate((size_t)count * sizeof(*o.rows));
    o.out = allocate(a->len);
    o.accepted = tensor_json_index(a, row, o.rows, NULL, &o.st);
    if (o.accepted)
        o.out_len = emit(a, o.rows, count, o.out);
    end = scan_list_end(a->text + (commas ? commas->end : 1), a->text + a->len);
    o.end = end ? (size_t)(end - a->text) : 0;
    return o;
}

/* NULL when there is none. */
static const char *find_difference(const struct outcome *wanted,
                                   const struct outcome *got, uint64_t count)
{
    if (wanted->accepted != got->accepted)
        return "acceptance";
    if (wanted->end != got->end)
        return "end";
    if (!wanted->accepted)
        return strcmp(wanted->st.message, got->st.message) ? got->st.message
                                                           : NULL;
    if (memcmp(wanted->rows, got->rows, (size_t)count * sizeof(*got->rows)))
        return "rows";
    return wanted->out_len != got->out_len ||
                   memcmp(wanted->out, got->out, got->out_len)
               ? "copy"
               : NULL;
}

static void compare(const struct data_array *a, uint64_t count,
                    const struct outcome *wanted, const struct outcome *got,
                    const char *isa)
{
    const char *difference = find_difference(wanted, got, count);

    if (difference)
        ck_abort_msg("%s, %s: %.*s", isa, difference, (int)a->len, a->text);
}

static void drop(struct outcome *o)
{
    free(o->rows);
    free(o->out);
}

static void compare_table(const struct data_array *a, uint64_t row,
                          const struct json_simd *simd,
                          const struct outcome *wanted)
{
    struct comma_index commas = {.capacity = a->len / 80 + 1};
    const struct number_range *range = tensor_json_range(a->dtype);
    struct outcome got = run(a, row, simd, NULL);

    compare(a, a->count / row, wanted, &got, simd_tables_name(simd));
    drop(&got);
    if (a->len < 2 || !range)
        return;
    commas.words = allocate(commas.capacity * sizeof(*commas.words));
    read_early(a, range, &commas);
    got = run(a, row, simd, &commas);
    compare(a, a->count / row, wanted, &got, simd_tables_name(simd));
    drop(&got);
    free(commas.words);
}

bool simd_case_rows(const char *text, size_t len, enum dtype dtype,
                    uint64_t count, uint64_t row)
{
    struct data_array a = {.name = "x", .len = len, .dtype = dtype};
    char *copy = allocate(len);
    struct outcome wanted;

    memcpy(copy, text, len);
    a.text = copy;
    a.count = count;
    a.shape = (struct shape){2, {(int64_t)(count / row), (int64_t)row}};
    wanted = run(&a, row, &json_simd_bytewise, NULL);
    for (int i = 0; simd_tables_get(i); i++)
        compare_table(&a, row, simd_tables_get(i), &wanted);
    drop(&wanted);
    free(copy);
    return wanted.accepted;
}

bool simd_case_check(const char *text, size_t len, enum dtype dtype)
{
    static const uint64_t rows[] = {1, 2, 3, 17, 100};
    bool complex = dtype_info(dtype)->kind == DTYPE_KIND_COMPLEX;
    uint64_t count = 1;
    bool accepted;

    for (size_t i = 0; i < len; i++)
        count += text[i] == ',';
    count = complex ? (count + 1) / 2 : count;
    accepted = simd_case_rows(text, len, dtype, count, count);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (count % rows[i] == 0)
            simd_case_rows(text, len, dtype, count, rows[i]);
    return accepted;
}
