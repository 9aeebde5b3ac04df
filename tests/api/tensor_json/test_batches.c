/* tensor_json_move(), which works in batches, against an index of the whole
 * array.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/lex/simd.h"
#include "api/tensor_json/emit.h"
#include "kernels/move/swap.h"
#include "tests/api/lex/simd_emulated.h"
#include "tests/suite.h"

enum { BATCH = 600, TIME = 20 };

static uint32_t state;

static uint32_t pick(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)state * limit) >> 32);
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    ck_assert_ptr_nonnull(memory);
    return memory;
}

/* `count` numbers in lists of `row`; a flat list when that is 0. */
static struct data_array print_numbers(uint64_t count, uint64_t row,
                                       const char *comma)
{
    char *text = allocate((size_t)count * 32 + 2), *at = text;

    *at++ = '[';
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            at += sprintf(at, "%s", row > 0 && i % row == 0 ? "]," : comma);
        if (row > 0 && i % row == 0)
            *at++ = '[';
        at += sprintf(at, pick(4000) > 0 ? "%.*f" : "%.*g", (int)pick(9),
                      pick(1u << 31) / 65536.0);
    }
    at += sprintf(at, "%s]", row > 0 ? "]" : "");
    return (struct data_array){.name = "x",
                               .text = text,
                               .len = (size_t)(at - text),
                               .dtype = DTYPE_FP32};
}

static struct permutation permutation_of(struct data_array *a, int64_t row,
                                         bool time_major)
{
    struct permutation m;
    int64_t *lens = allocate(BATCH * sizeof(*lens));

    a->shape = (struct shape){3, {BATCH, TIME, row}};
    if (time_major)
        a->shape = (struct shape){3, {TIME, BATCH, row}};
    a->count = (uint64_t)(BATCH * TIME * row);
    for (int i = 0; i < BATCH; i++)
        lens[i] = (int64_t)pick(TIME + 1);
    permutation_init(&m, &a->shape);
    permutation_flip_lens(&m, !time_major, time_major, lens);
    permutation_collapse(&m);
    return m;
}

/* The result by an index of the whole array; NULL when it is refused. */
static char *expect(const struct data_array *a, const struct permutation *m,
                    size_t *len, struct status *st)
{
    struct span *rows = allocate((size_t)m->row_count * sizeof(*rows));
    char *out = allocate(a->len);
    struct permutation in_rows = *m;
    bool ok = tensor_json_index(a, m->row, rows, NULL, st);
    const struct emit_job job = {.array = a,
                                 .array_rows = m->row_count,
                                 .rows = rows,
                                 .count = m->row_count};

    in_rows.row = 1;
    if (ok) {
        move_swap(&in_rows, 64, false, rows, NULL);
        *len = emit_rows(&job, out, a->len);
    } else {
        free(out);
        out = NULL;
    }
    free(rows);
    return out;
}

/* `in_place` is the array's text to be overwritten, or NULL. */
static void compare_to(const struct data_array *a, const struct permutation *m,
                       const char *wanted, size_t wanted_len,
                       const struct status *wanted_st, char *in_place)
{
    struct span *rows =
        allocate((size_t)tensor_json_move_capacity(a, m) * sizeof(*rows));
    char *scratch = allocate(a->len), *out;
    const struct tensor_json_job job = {.array = a,
                                        .permutation = m,
                                        .rows = rows,
                                        .scratch = scratch,
                                        .in_place = in_place};
    struct status st;
    size_t len;
    bool ok = tensor_json_move(&job, &out, &len, &st);

    ck_assert(ok == (wanted != NULL));
    if (!ok) {
        ck_assert_int_eq(st.code, wanted_st->code);
        ck_assert_str_eq(st.message, wanted_st->message);
    } else {
        bool batches = tensor_json_move_capacity(a, m) < m->row_count;

        if (a->lengths.count > 0 && in_place)
            ck_assert(out == in_place || out == in_place + 1);
        else
            ck_assert_ptr_eq(out, in_place && batches ? in_place : scratch);
        ck_assert_uint_eq(len, wanted_len);
        ck_assert_mem_eq(out, wanted, len);
    }
    free(scratch);
    free(rows);
}

/* Validates all but the last part while it arrives, and records as many lengths
 * as there is capacity for. */
static size_t read_early(struct data_array *a, size_t capacity)
{
    size_t part = a->len - pick((uint32_t)a->len / 2), at = 1;
    char *text = memcpy(allocate(part), a->text, part);

    a->lengths = (struct token_lengths){allocate(capacity), capacity, 0, false};
    tensor_json_read_early(a->dtype, text, part, &at, &a->lengths);
    tensor_json_read_early(a->dtype, a->text, a->len, &at, &a->lengths);
    a->validated = at;
    free(text);
    return a->lengths.count;
}

static void compare_early(const struct data_array *a,
                          const struct permutation *m, const char *wanted,
                          size_t len, const struct status *st)
{
    struct data_array copy = *a;
    char *place = allocate(a->len);

    copy.text = memcpy(place, a->text, a->len);
    read_early(&copy, 64 + pick((uint32_t)a->len / 2));
    compare_to(&copy, m, wanted, len, st, NULL);
    compare_to(&copy, m, wanted, len, st, place);
    free(copy.lengths.lens);
    free(place);
}

static void compare(const struct data_array *a, const struct permutation *m)
{
    struct status st;
    size_t len = 0;
    char *wanted = expect(a, m, &len, &st);
    char *place = allocate(a->len);
    struct data_array copy = *a;

    copy.text = memcpy(place, a->text, a->len);
    compare_to(a, m, wanted, len, &st, NULL);
    compare_to(&copy, m, wanted, len, &st, place);
    compare_early(a, m, wanted, len, &st);
    free(place);
    free(wanted);
}

static void compare_isas(const struct data_array *a,
                         const struct permutation *m)
{
    json_simd_select(&json_simd_emulated);
    compare(a, m);
    for (int i = 0; json_simd_supported(i); i++) {
        json_simd_select(json_simd_supported(i));
        compare(a, m);
    }
}

static const int64_t row_of[] = {1, 2, 3, 7};

START_TEST(batches_agree_with_an_index_of_the_whole)
{
    static const char *const commas[] = {",", ", ", ",\n   ", " ,"};
    int64_t row = row_of[_i];

    for (int comma = 0; comma < 4; comma++)
        for (int nested = 0; nested < 2; nested++) {
            uint64_t count = (uint64_t)(BATCH * TIME * row);
            struct data_array a;
            struct permutation m;

            state = (uint32_t)(_i * 8 + comma * 2 + nested);
            a = print_numbers(count, nested ? (uint64_t)row : 0, commas[comma]);
            m = permutation_of(&a, row, false);
            if (nested) /* the shape needs a dim for each level */
                a.shape = (struct shape){2, {BATCH * TIME, row}};
            ck_assert_uint_lt(tensor_json_move_capacity(&a, &m),
                              m.row_count / 2);
            compare_isas(&a, &m);
            permutation_free(&m);
            free((void *)(uintptr_t)a.text);
        }
}
END_TEST

/* No row can be moved before the last one has been read. */
START_TEST(time_major_takes_one_batch)
{
    struct data_array a =
        print_numbers((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = permutation_of(&a, row_of[_i], true);

    ck_assert_uint_eq(tensor_json_move_capacity(&a, &m), m.row_count);
    compare_isas(&a, &m);
    permutation_free(&m);
    free((void *)(uintptr_t)a.text);
}
END_TEST

/* Rows and lengths past the shape's count are not stored. */
START_TEST(batches_refuse_a_wrong_count)
{
    static const int64_t more[] = {-1, 1, 200, 5000, 12000};

    for (int i = 0; i < 5; i++) {
        uint64_t count = (uint64_t)(BATCH * TIME * row_of[_i] + more[i]);
        struct data_array a = print_numbers(count, 0, ",");
        struct permutation m = permutation_of(&a, row_of[_i], false);

        compare_isas(&a, &m);
        permutation_free(&m);
        free((void *)(uintptr_t)a.text);
    }
}
END_TEST

START_TEST(errors_are_the_same_in_every_batch)
{
    struct data_array a =
        print_numbers((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = permutation_of(&a, row_of[_i], false);
    char *text = (char *)(uintptr_t)a.text;

    for (int i = 0; i < 40; i++) {
        size_t at = 1 + pick((uint32_t)a.len - 2);
        char was = text[at];

        text[at] = "x,- ]["[i % 6];
        compare_isas(&a, &m);
        text[at] = was;
    }
    permutation_free(&m);
    free(text);
}
END_TEST

/* An error after the last element of a batch is diagnosed by reading that
 * element again. */
START_TEST(last_element_of_a_batch_stays_until_the_next)
{
    struct data_array a =
        print_numbers((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = permutation_of(&a, row_of[_i], false);
    char *text = (char *)(uintptr_t)a.text, *comma = text;
    uint64_t entry = (uint64_t)(TIME * row_of[_i]);

    for (uint64_t i = 1; i < 300 * entry; i++) {
        comma = strchr(comma + 1, ',');
        ck_assert_ptr_nonnull(comma);
        if (i % entry != 0)
            continue;
        *comma = ' ';
        compare(&a, &m);
        *comma = ',';
    }
    permutation_free(&m);
    free(text);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("tensor_json_batches");
    TCase *tc = tcase_create("all");

    tcase_add_loop_test(tc, batches_agree_with_an_index_of_the_whole, 0, 4);
    tcase_add_loop_test(tc, time_major_takes_one_batch, 0, 4);
    tcase_add_loop_test(tc, batches_refuse_a_wrong_count, 0, 4);
    tcase_add_loop_test(tc, errors_are_the_same_in_every_batch, 0, 4);
    tcase_add_loop_test(tc, last_element_of_a_batch_stays_until_the_next, 0, 4);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
