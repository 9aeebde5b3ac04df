/* BYTES tensors in the binary form: moved, and printed as JSON. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/tensor_json/tensor_json.h"
#include "tests/api/tensor_json/moved.h"
#include "tests/unit.h"

enum { CASES = 60 };

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
