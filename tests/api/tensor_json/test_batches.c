/* tensor_json_move(), which works in batches, against an index of the whole
 * array. */
#include "api/tensor_json/tensor_json.h"
#include "kernels/move/move.h"
#include "tests/api/lex/random_list.h"
#include "tests/api/lex/simd_tables.h"
#include "tests/unit.h"

/* The extents of the arrays. */
enum { BATCH = 600, TIME = 20 };

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    ck_assert_ptr_nonnull(memory);
    return memory;
}

/* `count` numbers in lists of `row`, a flat list when that is 0, with `comma`
 * and its white space between them. The caller frees the text. */
static struct data_array make_array(uint64_t count, uint64_t row,
                                    const char *comma)
{
    char *text = allocate((size_t)count * 32 + 2), *at = text;

    *at++ = '[';
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            at += sprintf(at, "%s", row > 0 && i % row == 0 ? "]," : comma);
        if (row > 0 && i % row == 0)
            *at++ = '[';
        at += sprintf(at, random_list_pick(4000) > 0 ? "%.*f" : "%.*g",
                      (int)random_list_pick(9),
                      random_list_pick(1u << 31) / 65536.0);
    }
    at += sprintf(at, "%s]", row > 0 ? "]" : "");
    return (struct data_array){.name = "x",
                               .text = text,
                               .len = (size_t)(at - text),
                               .dtype = DTYPE_FP32};
}

/* Reverses a random number of rows of each entry, [BATCH, TIME, row] or
 * time-major, and gives the array that shape. */
static struct permutation make_permutation(struct data_array *a, int64_t row,
                                           bool time_major)
{
    struct permutation permutation;
    int64_t *lens = allocate(BATCH * sizeof(*lens));

    a->shape = (struct shape){3, {BATCH, TIME, row}};
    if (time_major)
        a->shape = (struct shape){3, {TIME, BATCH, row}};
    a->count = (uint64_t)(BATCH * TIME * row);
    for (int i = 0; i < BATCH; i++)
        lens[i] = (int64_t)random_list_pick(TIME + 1);
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
    size_t part = a->len - random_list_pick((uint32_t)a->len / 2);
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
        .capacity = 1 + random_list_pick((uint32_t)a->len / 40)};
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

/* Compares accepted and refused arrays, to scratch and in place, whole and read
 * early, with the instruction set that is selected. */
static void check_selected(const struct data_array *a,
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

static void check(const struct data_array *a,
                  const struct permutation *permutation)
{
    for (int i = 0; simd_tables_get(i); i++) {
        simd_tables_select(simd_tables_get(i));
        check_selected(a, permutation);
    }
}

static const int64_t row_of[] = {1, 2, 3, 7};

LOOP_TEST(batches_agree_with_an_index_of_the_whole, 4)
{
    static const char *const commas[] = {",", ", ", ",\n   ", " ,"};
    int64_t row = row_of[_i];

    for (int comma = 0; comma < 4; comma++)
        for (int nested = 0; nested < 2; nested++) {
            uint64_t count = (uint64_t)(BATCH * TIME * row);
            struct data_array a;
            struct permutation m;

            random_list_seed((uint32_t)(_i * 8 + comma * 2 + nested));
            a = make_array(count, nested ? (uint64_t)row : 0, commas[comma]);
            m = make_permutation(&a, row, false);
            if (nested) /* the shape needs a dim for each level */
                a.shape = (struct shape){2, {BATCH * TIME, row}};
            ck_assert_uint_lt(tensor_json_move_capacity(&a, &m),
                              m.row_count / 2);
            check(&a, &m);
            permutation_free(&m);
            free((void *)(uintptr_t)a.text);
        }
}

/* No row can be moved before the last one has been read. */
LOOP_TEST(time_major_takes_one_batch, 4)
{
    struct data_array a =
        make_array((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = make_permutation(&a, row_of[_i], true);

    ck_assert_uint_eq(tensor_json_move_capacity(&a, &m), m.row_count);
    check(&a, &m);
    permutation_free(&m);
    free((void *)(uintptr_t)a.text);
}

/* Entries of the outer axis move by themselves, with the same lengths. */
UNIT_TEST(lengths_of_an_inner_axis_serve_every_batch)
{
    struct data_array a = make_array((uint64_t)(BATCH * TIME * 4), 0, ",");
    int64_t *lens = allocate(BATCH * sizeof(*lens));
    struct permutation m;

    for (int i = 0; i < BATCH; i++) /* the first four are lengths */
        lens[i] = i < 4 ? TIME - 6 * i : 5;
    a.shape = (struct shape){3, {BATCH, TIME, 4}};
    a.count = BATCH * TIME * 4;
    permutation_init(&m, &a.shape, false);
    permutation_flip_lens(&m, 1, 2, lens);
    permutation_collapse(&m);
    ck_assert_uint_lt(tensor_json_move_capacity(&a, &m), m.row_count / 2);
    check(&a, &m);
    permutation_free(&m);
    free((void *)(uintptr_t)a.text);
}

/* Rows and lengths past the shape's count are not stored. */
LOOP_TEST(batches_refuse_a_wrong_count, 4)
{
    static const int64_t more[] = {-1, 1, 200, 5000, 12000};

    for (int i = 0; i < 5; i++) {
        uint64_t count = (uint64_t)(BATCH * TIME * row_of[_i] + more[i]);
        struct data_array a = make_array(count, 0, ",");
        struct permutation m = make_permutation(&a, row_of[_i], false);

        check(&a, &m);
        permutation_free(&m);
        free((void *)(uintptr_t)a.text);
    }
}

LOOP_TEST(errors_are_the_same_in_every_batch, 4)
{
    struct data_array a =
        make_array((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = make_permutation(&a, row_of[_i], false);
    char *text = (char *)(uintptr_t)a.text;

    for (int i = 0; i < 40; i++) {
        size_t at = 1 + random_list_pick((uint32_t)a.len - 2);
        char was = text[at];

        text[at] = "x,- ]["[i % 6];
        check(&a, &m);
        text[at] = was;
    }
    permutation_free(&m);
    free(text);
}

/* An error after the last element of a batch is diagnosed by reading that
 * element again. */
LOOP_TEST(last_element_of_a_batch_stays_until_the_next, 4)
{
    struct data_array a =
        make_array((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = make_permutation(&a, row_of[_i], false);
    char *text = (char *)(uintptr_t)a.text, *comma = text;
    uint64_t entry = (uint64_t)(TIME * row_of[_i]);

    for (uint64_t i = 1; i < 300 * entry; i++) {
        comma = strchr(comma + 1, ',');
        ck_assert_ptr_nonnull(comma);
        if (i % entry != 0)
            continue;
        *comma = ' ';
        check_selected(&a, &m);
        *comma = ',';
    }
    permutation_free(&m);
    free(text);
}
