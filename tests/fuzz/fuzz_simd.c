/* Lists of numbers with every instruction set against the byte-by-byte code:
 * the same acceptance, error, rows, copies, and end of the list.
 *
 * The first byte chooses the datatype, the second the length of a row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/lex/scan.h"
#include "api/tensor_json/emit.h"
#include "tests/api/lex/simd_emulated.h"
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

/* The array arrives in two parts; each recorded length must end at a comma. */
static size_t read_early(const struct data_array *a, size_t part)
{
    char *text = allocate(part);
    struct token_lengths lengths = {.capacity = a->len / 3 + 1};
    size_t at = 1, end;

    lengths.lens = allocate(lengths.capacity);
    memcpy(text, a->text, part);
    while (at < part && scan_is_space(text[at]))
        at++;
    end = at;
    if (at < part &&
        tensor_json_read_early(a->dtype, text, part, &at, &lengths))
        tensor_json_read_early(a->dtype, a->text, a->len, &at, &lengths);
    EXPECT(lengths.count <= lengths.capacity);
    for (size_t i = 0; i < lengths.count; i++) {
        EXPECT(memchr(a->text + end, ',', lengths.lens[i]) ==
               a->text + end + lengths.lens[i] - 1);
        end += lengths.lens[i];
    }
    EXPECT(end <= at);
    free(lengths.lens);
    free(text);
    EXPECT(at <= a->len);
    return at;
}

static struct outcome run(const struct data_array *a, uint64_t row,
                          const struct json_simd *simd)
{
    uint64_t count = a->count / row;
    struct outcome o = {.rows = allocate((size_t)count * sizeof(*o.rows)),
                        .out = allocate(a->len)};
    const char *end;

    json_simd_select(simd);
    o.accepted = tensor_json_index(a, row, o.rows, NULL, &o.st);
    for (uint64_t i = 0; o.accepted && i < count / 2; i++) {
        struct span other = o.rows[i];

        o.rows[i] = o.rows[count - 1 - i];
        o.rows[count - 1 - i] = other;
    }
    if (o.accepted)
        o.len = emit_rows(&(struct emit_job){.array = a,
                                             .array_rows = count,
                                             .rows = o.rows,
                                             .count = count},
                          o.out, a->len);
    end = scan_list_end(a->text + (a->validated ? a->validated : 1),
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
    struct data_array arriving = *a;

    compare(a, row, wanted, simd);
    if (*a->text != '[')
        return;
    json_simd_select(simd);
    arriving.validated = read_early(a, a->len - a->len * (row % 8) / 8);
    compare(&arriving, row, wanted, simd);
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
    wanted = run(&a, row, NULL);
    compare_both(&a, row, &wanted, &json_simd_emulated);
    for (int i = 0; json_simd_supported(i); i++)
        compare_both(&a, row, &wanted, json_simd_supported(i));
    drop(&wanted);
    free(text);
    return 0;
}
