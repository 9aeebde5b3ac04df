/* A random array and its rows in a new order, for tests of moves. */
#pragma once

#include "kernels/ops/permutation.h"
#include "tests/api/tensor_json/random_array.h"
#include "tests/kernels/naive.h"

struct moved {
    struct naive naive;
    struct random_array source;
    struct permutation permutation;
    struct span *rows; /* owned */
};

/* To be freed by moved_free(). Makes no rows. */
void moved_init(struct moved *m, enum dtype dtype, uint64_t *state);
void moved_free(struct moved *m);

/* Brings m->rows, one span for each row, into the new order. */
void moved_permute(struct moved *m);

/* BYTES: the binary form of the strings in the new order, as jansson decodes
 * them. The caller frees it. */
unsigned char *moved_expected_bytes(const struct moved *m, size_t *len);
