/* tensor_json_move(), which works in batches, against an index of the whole
 * array. */
#include "api/tensor_json/tensor_json.h"
#include "kernels/move/move.h"
#include "tests/api/lex/random_list.h"
#include "tests/api/lex/simd_tables.h"
#include "tests/unit.h"

/* The extents of the arrays. */
enum { BATCH = 600, TIME = 20 };

/* The array of a test, and its permutation. */
static struct data_array array;
static struct permutation permutation;

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
static void permute(int64_t row, bool time_major)
{
    int64_t *lens = allocate(BATCH * sizeof(*lens));

    array.shape = (struct shape){3, {BATCH, TIME, row}};
    if (time_major)
        array.shape = (struct shape){3, {TIME, BATCH, row}};
    array.count = (uint64_t)(BATCH * TIME * row);
    for (int i = 0; i < BATCH; i++)
        lens[i] = (int64_t)random_list_pick(TIME + 1);
    permutation_init(&permutation, &array.shape, false);
    permutation_flip_lens(&permutation, !time_major, time_major, lens);
    permutation_collapse(&permutation);
}

static uint64_t capacity_of(const struct data_array *a)
{
    return tensor_json_move_capacity(a, &permutation);
}

/* The result by an index of the whole array. */
struct expected {
    char *text; /* owned; NULL when the array is refused */
    size_t len;
    struct status st;
};

static struct expected expect(const struct data_array *a)
{
    struct span *rows = allocate((size_t)permutation.row_count * sizeof(*rows));
    struct expected e = {.text = NULL};
    struct permutation in_rows = permutation;
    const struct tensor_json_job job = {.array = a,
                                        .permutation = &permutation};

    in_rows.row = 1;
    if (tensor_json_index(a, permutation.row, rows, NULL, &e.st)) {
        e.text = allocate(a->len);
        move_swap(&in_rows, (struct element_format){.bits = 64}, rows, NULL,
                  NULL);
        e.len =
            tensor_json_emit(&job, rows, permutation.row_count, e.text, a->len);
    }
    free(rows);
    return e;
}

static void assert_out(const struct tensor_json_job *job, const char *out)
{
    bool batches = capacity_of(job->array) < permutation.row_count;

    ck_assert_ptr_eq(out,
                     job->in_place && batches ? job->in_place : job->scratch);
}

static void *allocate_move_scratch(void)
{
    struct permutation spans;

    permutation_of_spans(&permutation, &spans);
    return allocate(move_scratch(&spans, (struct element_format){.bits = 64}));
}

/* `in_place` is the array's text, to be overwritten, or NULL. */
static void compare_to(const struct data_array *a, const struct expected *e,
                       char *in_place)
{
    struct span *rows = allocate((size_t)capacity_of(a) * sizeof(*rows));
    char *scratch = allocate(a->len), *out;
    void *move = allocate_move_scratch();
    const struct tensor_json_job job = {.array = a,
                                        .permutation = &permutation,
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

static void compare_early(const struct data_array *a, const struct expected *e)
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
    compare_to(&copy, e, NULL);
    compare_to(&copy, e, text);
    free(commas.words);
    free(text);
}

/* Compares accepted and refused arrays, to scratch and in place, whole and read
 * early, with the instruction set that is selected. */
static void check_selected(void)
{
    struct expected e = expect(&array);
    char *text = allocate(array.len);
    struct data_array copy = array;

    copy.text = memcpy(text, array.text, array.len);
    compare_to(&array, &e, NULL);
    compare_to(&copy, &e, text);
    compare_early(&array, &e);
    free(text);
    free(e.text);
}

static void check(void)
{
    for (int i = 0; simd_tables_get(i); i++) {
        simd_tables_select(simd_tables_get(i));
        check_selected();
    }
}

static const int64_t row_of[] = {1, 2, 3, 7};

/* Makes both, for rows of row_of[i] numbers, of which there are `more` than the
 * shape has. */
static void begin(int i, int64_t more, bool time_major)
{
    int64_t row = row_of[i];

    array = make_array((uint64_t)(BATCH * TIME * row + more), 0, ",");
    permute(row, time_major);
}

static void end(void)
{
    permutation_free(&permutation);
    free((void *)(uintptr_t)array.text);
}

LOOP_TEST(batches_agree_with_an_index_of_the_whole, 4)
{
    static const char *const commas[] = {",", ", ", ",\n   ", " ,"};
    int64_t row = row_of[_i];

    for (int comma = 0; comma < 4; comma++)
        for (int nested = 0; nested < 2; nested++) {
            uint64_t count = (uint64_t)(BATCH * TIME * row);

            random_list_seed((uint32_t)(_i * 8 + comma * 2 + nested));
            array =
                make_array(count, nested ? (uint64_t)row : 0, commas[comma]);
            permute(row, false);
            if (nested) /* the shape needs a dim for each level */
                array.shape = (struct shape){2, {BATCH * TIME, row}};
            ck_assert_uint_lt(capacity_of(&array), permutation.row_count / 2);
            check();
            end();
        }
}

/* No row can be moved before the last one has been read. */
LOOP_TEST(time_major_takes_one_batch, 4)
{
    begin(_i, 0, true);
    ck_assert_uint_eq(capacity_of(&array), permutation.row_count);
    check();
    end();
}

/* Entries of the outer axis move by themselves, with the same lengths. */
UNIT_TEST(lengths_of_an_inner_axis_serve_every_batch)
{
    int64_t *lens = allocate(BATCH * sizeof(*lens));

    array = make_array((uint64_t)(BATCH * TIME * 4), 0, ",");
    for (int i = 0; i < BATCH; i++) /* the first four are lengths */
        lens[i] = i < 4 ? TIME - 6 * i : 5;
    array.shape = (struct shape){3, {BATCH, TIME, 4}};
    array.count = BATCH * TIME * 4;
    permutation_init(&permutation, &array.shape, false);
    permutation_flip_lens(&permutation, 1, 2, lens);
    permutation_collapse(&permutation);
    ck_assert_uint_lt(capacity_of(&array), permutation.row_count / 2);
    check();
    end();
}

/* Rows and lengths past the shape's count are not stored. */
LOOP_TEST(batches_refuse_a_wrong_count, 4)
{
    static const int64_t more[] = {-1, 1, 200, 5000, 12000};

    for (int i = 0; i < 5; i++) {
        begin(_i, more[i], false);
        check();
        end();
    }
}

LOOP_TEST(errors_are_the_same_in_every_batch, 4)
{
    char *text;

    begin(_i, 0, false);
    text = (char *)(uintptr_t)array.text;
    for (int i = 0; i < 40; i++) {
        size_t at = 1 + random_list_pick((uint32_t)array.len - 2);
        char was = text[at];

        text[at] = "x,- ]["[i % 6];
        check();
        text[at] = was;
    }
    end();
}

/* An error after the last element of a batch is diagnosed by reading that
 * element again. */
LOOP_TEST(last_element_of_a_batch_stays_until_the_next, 4)
{
    uint64_t entry = (uint64_t)(TIME * row_of[_i]);
    char *comma;

    begin(_i, 0, false);
    comma = (char *)(uintptr_t)array.text;
    for (uint64_t i = 1; i < 300 * entry; i++) {
        comma = strchr(comma + 1, ',');
        ck_assert_ptr_nonnull(comma);
        if (i % entry != 0)
            continue;
        *comma = ' ';
        check_selected();
        *comma = ',';
    }
    end();
}
