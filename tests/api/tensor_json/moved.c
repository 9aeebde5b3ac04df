#include "tests/api/tensor_json/moved.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move/move.h"

void moved_init(struct moved *m, enum dtype dtype, uint64_t *state)
{
    do
        naive_random_case(state, &m->naive);
    while (naive_count(&m->naive) > 2000);
    random_array_init(&m->source, dtype, &m->naive.shape, state);
    naive_permutation(&m->naive, &m->permutation);
}

void moved_free(struct moved *m)
{
    free(m->rows);
    permutation_free(&m->permutation);
    random_array_free(&m->source);
}

void moved_permute(struct moved *m)
{
    struct permutation rows;

    permutation_of_spans(&m->permutation, &rows);
    ck_assert(move_swap(&rows, (struct element_format){.bits = 64}, m->rows,
                        NULL, NULL));
}

unsigned char *moved_expected_bytes(const struct moved *m, size_t *len)
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
