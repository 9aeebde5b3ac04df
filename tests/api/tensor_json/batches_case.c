#include "tests/api/tensor_json/batches_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tensor_json/tensor_json.h"
#include "kernels/move/move.h"
#include "tests/api/lex/simd_tables.h"

static uint32_t state;

void batches_case_seed(uint32_t seed)
{
    state = seed;
}

uint32_t batches_case_pick(uint32_t limit)
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
struct data_array batches_case_array(uint64_t count, uint64_t row,
                                     const char *comma)
{
    char *text = allocate((size_t)count * 32 + 2), *at = text;

    *at++ = '[';
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            at += sprintf(at, "%s", row > 0 && i % row == 0 ? "]," : comma);
        if (row > 0 && i % row == 0)
            *at++ = '[';
        at += sprintf(at, batches_case_pick(4000) > 0 ? "%.*f" : "%.*g",
                      (int)batches_case_pick(9),
                      batches_case_pick(1u << 31) / 65536.0);
    }
    at += sprintf(at, "%s]", row > 0 ? "]" : "");
    return (struct data_array){.name = "x",
                               .text = text,
                               .len = (size_t)(at - text),
                               .dtype = DTYPE_FP32};
}

struct permutation batches_case_permutation(struct data_array *a, int64_t row,
                                            bool time_major)
{
    struct permutation permutation;
    int64_t *lens = allocate(BATCH * sizeof(*lens));

    a->shape = (struct shape){3, {BATCH, TIME, row}};
    if (time_major)
        a->shape = (struct shape){3, {TIME, BATCH, row}};
    a->count = (uint64_t)(BATCH * TIME * row);
    for (int i = 0; i < BATCH; i++)
        lens[i] = (int64_t)batches_case_pick(TIME + 1);
    permutation_init(&permutation, &a->shape, false);
    permutation_flip_lens(&permutation, !time_major, time_major, lens);
    permutation_collapse(&permutation);
    return permutation;
}

/* The result by an index of the whole array. */
struct expected {
    char *text; /* owned; NULL when the array is refused */
    size_t len;
    struct status st;
};

static struct expected expect(const struct data_array *a,
                              const struct permutation *permutation)
{
    struct span *rows =
        allocate((size_t)permutation->row_count * sizeof(*rows));
    struct expected e = {.text = NULL};
    struct permutation in_rows = *permutation;
    const struct tensor_json_job job = {.array = a, .permutation = permutation};

    in_rows.row = 1;
    if (tensor_json_index(a, permutation->row, rows, NULL, &e.st)) {
        e.text = allocate(a->len);
        move_swap(&in_rows, (struct element_format){.bits = 64}, rows, NULL,
                  NULL);
        e.len = tensor_json_emit(&job, rows, permutation->row_count, e.text,
                                 a->len);
    }
    free(rows);
    return e;
}

static void assert_out(const struct tensor_json_job *job, const char *out)
{
    const struct permutation *permutation = job->permutation;
    bool batches = tensor_json_move_capacity(job->array, permutation) <
                   permutation->row_count;

    ck_assert_ptr_eq(out,
                     job->in_place && batches ? job->in_place : job->scratch);
}

static void *allocate_move_scratch(const struct permutation *permutation)
{
    struct permutation spans;

    permutation_of_spans(permutation, &spans);
    return allocate(move_scratch(&spans, (struct element_format){.bits = 64}));
}

/* `in_place` is the array's text, to be overwritten, or NULL. */
static void compare_to(const struct data_array *a,
                       const struct permutation *permutation,
                       const struct expected *e, char *in_place)
{
    struct span *rows = allocate(
        (size_t)tensor_json_move_capacity(a, permutation) * sizeof(*rows));
    char *scratch = allocate(a->len), *out;
    void *move = allocate_move_scratch(permutation);
    const struct tensor_json_job job = {.array = a,
                                        .permutation = permutation,
                                        .rows = rows,
                                        .scratch = scratch,
                                        .move_scratch = move,
                                        .in_place = in_place};
    struct status st;
    size_t len;
    bool ok = tensor_json_move(&job, &out, &len, &st);

    ck_assert(ok == (e->text != NULL));
    if (!ok) {
        ck_assert_int_eq(st.code, e->st.code);
        ck_assert_str_eq(st.message, e->st.message);
    } else {
        assert_out(&job, out);
        ck_assert_uint_eq(len, e->len);
        ck_assert_mem_eq(out, e->text, len);
    }
    free(move);
    free(scratch);
    free(rows);
}

/* Validates all but the last part while it arrives, as far as there is capacity
 * for the commas. */
static void read_early(const struct data_array *a, struct comma_index *commas)
{
    size_t part = a->len - batches_case_pick((uint32_t)a->len / 2);
    char *text = memcpy(allocate(part), a->text, part);

    comma_index_append(commas, text, part);
    comma_index_append(commas, a->text, a->len);
    free(text);
}

static void compare_early(const struct data_array *a,
                          const struct permutation *permutation,
                          const struct expected *e)
{
    struct comma_index commas = {
        .capacity = 1 + batches_case_pick((uint32_t)a->len / 40)};
    struct data_array copy = *a;
    char *text = allocate(a->len);
    const struct number_range *range = tensor_json_range(a->dtype);

    ck_assert(range);
    commas.words = allocate(commas.capacity * sizeof(*commas.words));
    comma_index_start(&commas, range, 1);
    read_early(a, &commas);
    copy.text = memcpy(text, a->text, a->len);
    copy.commas = &commas;
    compare_to(&copy, permutation, e, NULL);
    compare_to(&copy, permutation, e, text);
    free(commas.words);
    free(text);
}

void batches_case_check_one(const struct data_array *a,
                            const struct permutation *permutation)
{
    struct expected e = expect(a, permutation);
    char *text = allocate(a->len);
    struct data_array copy = *a;

    copy.text = memcpy(text, a->text, a->len);
    compare_to(a, permutation, &e, NULL);
    compare_to(&copy, permutation, &e, text);
    compare_early(a, permutation, &e);
    free(text);
    free(e.text);
}

void batches_case_check(const struct data_array *a,
                        const struct permutation *permutation)
{
    for (int i = 0; simd_tables_get(i); i++) {
        simd_tables_select(simd_tables_get(i));
        batches_case_check_one(a, permutation);
    }
}
