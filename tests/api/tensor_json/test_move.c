/* Rows of text in a new order: written as text, and as binary strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tensor_json/tensor_json.h"
#include "tests/api/tensor_json/moved.h"
#include "tests/unit.h"

enum { CASES = 60 }; /* of each datatype */

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

LOOP_TEST(rows_are_emitted_as_the_list_of_their_tokens, DTYPE_COUNT)
{
    enum dtype dtype = (enum dtype)_i;
    uint64_t state = (uint64_t)_i + 1;

    if (dtype_info(dtype)->kind == DTYPE_KIND_OPAQUE)
        return;
    for (int i = 0; i < CASES; i++) {
        struct moved m;

        moved_init(&m, dtype, &state);
        index_text(&m);
        moved_permute(&m);
        assert_emits_moved(&m);
        moved_free(&m);
    }
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
    uint64_t state = 99;

    for (int i = 0; i < CASES; i++) {
        struct moved m;

        moved_init(&m, DTYPE_BYTES, &state);
        index_text(&m);
        moved_permute(&m);
        assert_converts_moved(&m);
        moved_free(&m);
    }
}
