#include "tests/api/lex/simd_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "api/lex/scan.h"
#include "api/tensor_json/emit.h"
#include "tests/api/lex/simd_emulated.h"

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

    ck_assert_ptr_nonnull(memory);
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
    len = emit_rows(
        &(struct emit_job){
            .array = a, .array_rows = count, .rows = reversed, .count = count},
        out, a->len);
    free(reversed);
    return len;
}

/* Each length must end at the next comma, and all of them before `to`. */
static void check_lengths(const struct data_array *a, size_t from, size_t to,
                          const struct token_lengths *lengths)
{
    ck_assert_uint_le(lengths->count, lengths->capacity);
    for (size_t i = 0; i < lengths->count; i++) {
        const char *comma = memchr(a->text + from, ',', a->len - from);

        ck_assert_ptr_eq(comma, a->text + from + lengths->lens[i] - 1);
        from += lengths->lens[i];
    }
    ck_assert_uint_le(from, to);
}

/* The array arrives in five parts, each in memory of just its size. */
static size_t read_early(const struct data_array *a)
{
    struct token_lengths lengths = {.capacity = a->len / 3 + 1};
    const size_t steps[] = {a->len / 7, a->len / 3, a->len / 3 + 1,
                            a->len - a->len / 5, a->len};
    size_t at = 1, first;

    lengths.lens = allocate(lengths.capacity);
    while (at < a->len && scan_is_space(a->text[at]))
        at++;
    first = at;
    for (int i = 0; i < 5; i++) {
        size_t len = steps[i] > at ? steps[i] : at;
        char *part = allocate(len);
        bool more;

        memcpy(part, a->text, len);
        more = tensor_json_read_early(a->dtype, part, len, &at, &lengths);
        free(part);
        ck_assert_uint_le(at, len);
        if (!more)
            break;
    }
    check_lengths(a, first, at, &lengths);
    free(lengths.lens);
    return at;
}

static struct outcome run(const struct data_array *whole, uint64_t row,
                          const struct json_simd *simd, bool early)
{
    struct outcome o = {.accepted = false};
    struct data_array copy = *whole, *a = &copy;
    uint64_t count = a->count / row;
    const char *end;

    json_simd_select(simd);
    if (early && a->len > 0)
        a->validated = read_early(a);
    o.rows = allocate((size_t)count * sizeof(*o.rows));
    o.out = allocate(a->len);
    o.accepted = tensor_json_index(a, row, o.rows, NULL, &o.st);
    if (o.accepted)
        o.out_len = emit(a, o.rows, count, o.out);
    end = scan_list_end(a->text + (a->validated ? a->validated : 1),
                        a->text + a->len);
    o.end = end ? (size_t)(end - a->text) : 0;
    return o;
}

static void compare(const struct data_array *a, uint64_t count,
                    const struct outcome *wanted, const struct outcome *got,
                    const char *isa)
{
    const char *text = a->text;
    int len = (int)a->len;

    ck_assert_msg(wanted->accepted == got->accepted, "%s: %.*s", isa, len,
                  text);
    ck_assert_msg(wanted->end == got->end, "%s: %.*s", isa, len, text);
    if (!wanted->accepted) {
        ck_assert_str_eq(wanted->st.message, got->st.message);
        return;
    }
    ck_assert_msg(memcmp(wanted->rows, got->rows,
                         (size_t)count * sizeof(*got->rows)) == 0,
                  "rows, %s: %.*s", isa, len, text);
    ck_assert_uint_eq(wanted->out_len, got->out_len);
    ck_assert_msg(memcmp(wanted->out, got->out, got->out_len) == 0,
                  "copy, %s: %.*s", isa, len, text);
}

static void drop(struct outcome *o)
{
    free(o->rows);
    free(o->out);
}

bool simd_case_rows(const char *text, size_t len, enum dtype dtype,
                    uint64_t count, uint64_t row)
{
    struct data_array a = {.name = "x", .len = len, .dtype = dtype};
    char *copy = allocate(len);
    struct outcome wanted;
    bool more = true;

    memcpy(copy, text, len);
    a.text = copy;
    a.count = count;
    a.shape = (struct shape){2, {(int64_t)(count / row), (int64_t)row}};
    wanted = run(&a, row, NULL, false);
    for (int i = -2; more; i++) {
        int isa = i < 0 ? -1 : i / 2;
        const struct json_simd *simd =
            isa < 0 ? &json_simd_emulated : json_simd_supported(isa);
        struct outcome got;

        more = simd && simd->integers;
        if (!more)
            break;
        got = run(&a, row, simd, i % 2 != 0);
        compare(&a, count / row, &wanted, &got, simd->name);
        drop(&got);
    }
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
