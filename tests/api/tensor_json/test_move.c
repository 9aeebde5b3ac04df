/* Rows in a new order: of text, written as text and as binary strings; of BYTES
 * in the binary form, moved and printed as JSON. */
#include <jansson.h>

#include "kernels/move/move.h"
#include "tests/api/tensor_json/random_array.h"
#include "tests/edge.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

enum { CASES = 60 }; /* of each datatype */

/* A random array and its rows in a new order. */
struct moved {
    struct naive naive;
    struct random_array source;
    struct permutation permutation;
    struct span *rows; /* owned */
};

/* Makes no rows. */
static void moved_init(struct moved *m, enum dtype dtype, uint64_t *state)
{
    do
        naive_random_case(state, &m->naive);
    while (naive_count(&m->naive) > 2000);
    random_array_init(&m->source, dtype, &m->naive.shape, state);
    naive_permutation(&m->naive, &m->permutation);
}

static void moved_free(struct moved *m)
{
    free(m->rows);
    permutation_free(&m->permutation);
    random_array_free(&m->source);
}

/* Brings m->rows, one span for each row, into the new order. */
static void moved_permute(struct moved *m)
{
    struct permutation rows;

    permutation_of_spans(&m->permutation, &rows);
    ck_assert(move_swap(&rows, (struct element_format){.bits = 64}, m->rows,
                        NULL, NULL));
}

/* BYTES: the binary form of the strings in the new order, as jansson decodes
 * them. The caller frees it. */
static unsigned char *moved_expected_bytes(const struct moved *m, size_t *len)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, len);

    ck_assert_ptr_nonnull(out);
    for (uint64_t i = 0; i < m->source.array.count; i++) {
        const char *text = m->source.elements[naive_source(&m->naive, i)];
        json_t *string =
            json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        uint32_t size = (uint32_t)json_string_length(string);

        ck_assert(json_is_string(string));
        fwrite(&size, sizeof(size), 1, out);
        fwrite(json_string_value(string), 1, size, out);
        json_decref(string);
    }
    fclose(out);
    return (unsigned char *)bytes;
}

static void index_text(struct moved *m)
{
    struct status st = {0};
    uint64_t count = m->permutation.row_count;
    uint64_t row = m->permutation.row;

    m->rows = malloc((size_t)count * sizeof(*m->rows) + 1);
    ck_assert_ptr_nonnull(m->rows);
    ck_assert_msg(tensor_json_index(&m->source.array, row ? row : 1,
                                    count ? m->rows : NULL, NULL, &st),
                  "%.*s: %s", (int)m->source.array.len, m->source.array.text,
                  st.message);
}

/* The elements in their new order, joined one by one. */
static char *expected_text(const struct moved *m, size_t *len)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, len);

    ck_assert_ptr_nonnull(out);
    for (uint64_t i = 0; i < m->source.array.count; i++)
        fprintf(out, "%s%s", i ? "," : "",
                m->source.elements[naive_source(&m->naive, i)]);
    fclose(out);
    return text;
}

static void assert_emits_moved(const struct moved *m)
{
    size_t expected_len, len;
    char *expected = expected_text(m, &expected_len);
    char *out = malloc(m->source.array.len);

    ck_assert_ptr_nonnull(out);
    len = tensor_json_emit(
        &(struct tensor_json_job){.array = &m->source.array,
                                  .permutation = &m->permutation},
        m->rows, m->permutation.row_count, out, m->source.array.len);
    ck_assert_uint_le(len, m->source.array.len);
    ck_assert_uint_eq(len, expected_len);
    ck_assert(memcmp(out, expected, len) == 0);
    free(out);
    free(expected);
}

/* Makes random cases of text, and checks each. */
static void check_cases(enum dtype dtype, uint64_t state,
                        void (*check)(const struct moved *m))
{
    for (int i = 0; i < CASES; i++) {
        struct moved m;

        moved_init(&m, dtype, &state);
        index_text(&m);
        moved_permute(&m);
        check(&m);
        moved_free(&m);
    }
}

LOOP_TEST(rows_are_emitted_as_the_list_of_their_tokens, DTYPE_COUNT)
{
    if (dtype_info((enum dtype)_i)->kind != DTYPE_KIND_OPAQUE)
        check_cases((enum dtype)_i, (uint64_t)_i + 1, assert_emits_moved);
}

enum { TOKENS = 300 };

/* Token i, of 1 to 40 bytes: a number, or a string, of 2 bytes at least, with
 * what may not be taken for the end of an element. */
static int print_token(int i, bool string, char *token)
{
    int len = 1 + (TOKENS - 1 - i) * 7 % 40; /* the last one is the shortest */

    if (string)
        return sprintf(token, "\"%.*s\"", len > 2 ? len - 2 : 0,
                       "], [ ,x],y [z, 1 2] [[,, ]],34567 a b c");
    return sprintf(token, "%.*s", len,
                   len < 3 ? "71" : "0.12345678901234567890123456789012345678");
}

/* In lists of `row` tokens with white space, of which a row begins and ends
 * with a token. */
static void assert_emits_backwards(int row, bool string)
{
    char text[TOKENS * 50], wanted[TOKENS * 50], *out, *to = wanted, *at = text;
    struct data_array a = {.name = "x", .count = TOKENS};
    struct permutation all = {.row_count = (uint64_t)(TOKENS / row)};
    struct tensor_json_job job = {.array = &a, .permutation = &all};
    struct span rows[TOKENS], last[TOKENS];
    size_t capacity = 0;
    struct status st;

    for (int i = 0; i < TOKENS; i++) {
        at += sprintf(at, i == 0 ? "[[" : i % row ? " ,\n" : "],[");
        at += print_token(i, string, at);
    }
    at += sprintf(at, "]]");
    a.dtype = string ? DTYPE_BYTES : DTYPE_FP32;
    a.shape = (struct shape){2, {TOKENS / row, row}};
    a.len = (size_t)(at - text);
    a.text = edge_copy(text, a.len);
    ck_assert_msg(tensor_json_index(&a, (uint64_t)row, rows, NULL, &st), "%s",
                  st.message);
    for (int i = 0; i < TOKENS / row; i++) {
        last[i] = rows[TOKENS / row - 1 - i];
        capacity += last[i].len + 1;
        for (int k = 0; k < row; k++) {
            to += print_token(TOKENS - row * (i + 1) + k, string, to);
            *to++ = ',';
        }
    }
    out = edge_copy(text, capacity);
    ck_assert_uint_eq(
        tensor_json_emit(&job, last, all.row_count, out, capacity),
        (size_t)(to - wanted) - 1);
    ck_assert_mem_eq(out, wanted, (size_t)(to - wanted) - 1);
    edge_free(out, capacity);
    edge_free((void *)(uintptr_t)a.text, a.len);
}

/* Nothing is read behind the text, nor written behind the capacity. */
UNIT_TEST(tokens_of_every_length_are_emitted_backwards)
{
    for (int row = 1; row <= 3; row++)
        for (int string = 0; string < 2; string++)
            assert_emits_backwards(row, string);
}

static void assert_converts_moved(const struct moved *m)
{
    size_t bound = tensor_json_strings_bound(&m->source.array);
    unsigned char *out = malloc(bound ? bound : 1);
    size_t expected_len, len;
    unsigned char *expected = moved_expected_bytes(m, &expected_len);

    ck_assert_ptr_nonnull(out);
    len = tensor_json_strings_to_binary(&m->source.array, m->rows,
                                        m->permutation.row_count, out, NULL);
    ck_assert_uint_le(len, bound);
    ck_assert_uint_eq(len, expected_len);
    ck_assert(memcmp(out, expected, len) == 0);
    free(out);
    free(expected);
}

UNIT_TEST(strings_convert_in_the_new_order)
{
    check_cases(DTYPE_BYTES, 99, assert_converts_moved);
}

/* The array's strings in the binary form, in the old order. */
static struct tensor make_bytes(const struct data_array *a)
{
    struct tensor tensor = {.name = "input", .dtype = DTYPE_BYTES};
    struct span *rows = malloc((size_t)a->count * sizeof(*rows) + 1);
    unsigned char *data = malloc(tensor_json_strings_bound(a) + 1);
    struct status st;

    ck_assert(rows && data);
    ck_assert(tensor_json_index(a, 1, rows, NULL, &st));
    tensor.bytes = tensor_json_strings_to_binary(a, rows, a->count, data, NULL);
    tensor.data = realloc(data, tensor.bytes + 1);
    free(rows);
    return tensor;
}

/* The text written from the rows must be an array of the strings that jansson
 * reads from the elements. */
static void assert_bytes_print(const struct moved *m,
                               const struct tensor *tensor)
{
    struct status st;
    size_t len;
    json_t *array;
    char *out;

    ck_assert(binary_strings_text_length(tensor, m->source.array.count, &len,
                                         NULL, &st));
    out = malloc(len + 2);
    ck_assert_ptr_nonnull(out);
    out[0] = '[';
    ck_assert_uint_eq(binary_strings_to_text(tensor, m->rows,
                                             m->permutation.row_count, out + 1,
                                             NULL),
                      len);
    out[len + 1] = ']';
    array = json_loadb(out, len + 2, JSON_ALLOW_NUL, NULL);
    ck_assert_uint_eq(json_array_size(array), m->source.array.count);
    for (uint64_t i = 0; i < m->source.array.count; i++) {
        json_t *string =
            json_loads(m->source.elements[naive_source(&m->naive, i)],
                       JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

        ck_assert(json_equal(json_array_get(array, i), string));
        json_decref(string);
    }
    json_decref(array);
    free(out);
}

static void assert_bytes_emit(const struct moved *m,
                              const struct tensor *tensor)
{
    unsigned char *out = malloc(tensor->bytes + 1);
    size_t len;
    unsigned char *expected = moved_expected_bytes(m, &len);

    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(len, tensor->bytes);
    binary_strings_emit(tensor, m->rows, m->permutation.row_count, out, NULL);
    ck_assert(memcmp(out, expected, len) == 0);
    free(out);
    free(expected);
}

UNIT_TEST(bytes_move_as_the_list_of_their_elements)
{
    uint64_t state = 77;

    for (int i = 0; i < CASES; i++) {
        struct moved m;
        struct tensor tensor;
        struct status st = {0};
        uint64_t rows;

        moved_init(&m, DTYPE_BYTES, &state);
        rows = m.permutation.row_count;
        tensor = make_bytes(&m.source.array);
        m.rows = malloc((size_t)rows * sizeof(*m.rows) + 1);
        ck_assert_ptr_nonnull(m.rows);
        ck_assert_msg(binary_strings_index(&tensor, m.source.array.count,
                                           m.permutation.row,
                                           rows ? m.rows : NULL, NULL, &st),
                      "%s", st.message);
        moved_permute(&m);
        assert_bytes_emit(&m, &tensor);
        assert_bytes_print(&m, &tensor);
        free((void *)(uintptr_t)tensor.data);
        moved_free(&m);
    }
}
