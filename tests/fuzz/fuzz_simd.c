/* Lists of numbers with every instruction set against the byte-by-byte code:
 * the same acceptance, error, rows, copies, and end of the list.
 *
 * The first byte chooses the datatype, the second the length of a row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/lex/scan.h"
#include "api/tensor_json/tensor_json.h"
#include "tests/api/lex/simd_tables.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
    bool accepted;
    struct status st;
    struct span *rows;
    char *out;
    size_t len;
    size_t end;
};

/* The array arrives in two parts; the index must have each comma. */
static void read_early(const struct data_array *a, size_t part,
                       struct comma_index *commas)
{
    char *text = allocate(part);

    memcpy(text, a->text, part);
    comma_index_append(commas, text, part);
    comma_index_append(commas, a->text, a->len);
    free(text);
    EXPECT(commas->count <= commas->capacity);
    EXPECT(commas->end <= a->len);
    for (size_t i = 0; i < commas->count * JSON_SIMD_BLOCK; i++) {
        size_t at = commas->first + i;
        bool is_comma = at < commas->end && a->text[at] == ',';

        EXPECT((commas->words[i / 64] >> i % 64 & 1) == is_comma);
    }
}

static struct outcome run(const struct data_array *a, uint64_t row,
                          const struct json_simd *simd)
{
    uint64_t count = a->count / row;
    struct outcome o = {.rows = allocate((size_t)count * sizeof(*o.rows)),
                        .out = allocate(a->len)};
    const char *end;

    simd_tables_select(simd);
    o.accepted = tensor_json_index(a, row, o.rows, NULL, &o.st);
    for (uint64_t i = 0; o.accepted && i < count / 2; i++) {
        struct span other = o.rows[i];

        o.rows[i] = o.rows[count - 1 - i];
        o.rows[count - 1 - i] = other;
    }
    if (o.accepted)
        o.len = tensor_json_emit(
            &(struct tensor_json_job){
                .array = a,
                .permutation = &(struct permutation){.row_count = count}},
            o.rows, count, o.out, a->len);
    end = scan_list_end(a->text + (a->commas ? a->commas->end : 1),
                        a->text + a->len);
    o.end = end ? (size_t)(end - a->text) : 0;
    return o;
}

static void drop(struct outcome *o)
{
    free(o->rows);
    free(o->out);
}

static void compare(const struct data_array *a, uint64_t row,
                    const struct outcome *wanted, const struct json_simd *simd)
{
    struct outcome got = run(a, row, simd);
    size_t bytes = (size_t)(a->count / row) * sizeof(*got.rows);

    EXPECT(got.accepted == wanted->accepted);
    EXPECT(got.end == wanted->end);
    if (!got.accepted) {
        EXPECT(strcmp(got.st.message, wanted->st.message) == 0);
    } else {
        EXPECT(memcmp(got.rows, wanted->rows, bytes) == 0);
        EXPECT(got.len == wanted->len);
        EXPECT(memcmp(got.out, wanted->out, got.len) == 0);
    }
    drop(&got);
}

static void compare_both(const struct data_array *a, uint64_t row,
                         const struct outcome *wanted,
                         const struct json_simd *simd)
{
    struct comma_index commas = {.capacity = a->len / 70 + 1};
    struct data_array arriving = *a;
    const struct number_range *range = tensor_json_range(a->dtype);
    size_t first = 1;

    compare(a, row, wanted, simd);
    if (*a->text != '[' || !range)
        return;
    simd_tables_select(simd);
    while (first < a->len && scan_is_space(a->text[first]))
        first++;
    commas.words = allocate(commas.capacity * sizeof(*commas.words));
    comma_index_start(&commas, range, first);
    read_early(a, a->len - a->len * (row % 8) / 8, &commas);
    arriving.commas = &commas;
    compare(&arriving, row, wanted, simd);
    free(commas.words);
}

/* A shape that fits the text if all its commas separate elements. */
static void describe(struct data_array *a, uint8_t dtype, uint64_t *row)
{
    a->dtype = (enum dtype)(dtype % DTYPE_COUNT);
    a->count = 1;
    for (size_t i = 0; i < a->len; i++)
        a->count += a->text[i] == ',';
    if (dtype_info(a->dtype)->kind == DTYPE_KIND_COMPLEX)
        a->count = (a->count + 1) / 2;
    *row += *row == 0;
    *row = a->count % *row == 0 ? *row : 1;
    a->shape = (struct shape){2, {(int64_t)(a->count / *row), (int64_t)*row}};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct data_array a = {.name = "x"};
    struct outcome wanted;
    uint64_t row;
    char *text;

    if (size < 3)
        return 0;
    text = allocate(size - 2);
    memcpy(text, data + 2, size - 2);
    a.text = text;
    a.len = size - 2;
    row = data[1];
    describe(&a, data[0], &row);
    wanted = run(&a, row, &json_simd_bytewise);
    for (int i = 0; simd_tables_get(i); i++)
        compare_both(&a, row, &wanted, simd_tables_get(i));
    drop(&wanted);
    free(text);
    return 0;
}
