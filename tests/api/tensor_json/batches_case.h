/* Random arrays and permutations for tensor_json_move(), which must give the
 * same as an index of the whole array. */
#pragma once

#include "api/tensor_json/tensor_json.h"

/* The extents of the arrays. */
enum { BATCH = 600, TIME = 20 };

/* Restarts the random numbers from `seed`. */
void batches_case_seed(uint32_t seed);

/* A random number below `limit`. */
uint32_t batches_case_pick(uint32_t limit);

/* `count` numbers in lists of `row`, a flat list when that is 0, with `comma`
 * and its white space between them. The caller frees the text. */
struct data_array batches_case_array(uint64_t count, uint64_t row,
                                     const char *comma);

/* Reverses a random number of rows of each entry, [BATCH, TIME, row] or
 * time-major, and gives the array that shape. To be freed by
 * permutation_free(). */
struct permutation batches_case_permutation(struct data_array *a, int64_t row,
                                            bool time_major);

/* Compares accepted and refused arrays, to scratch and in place, whole and read
 * early: with every instruction set, or with the one selected. */
void batches_case_check(const struct data_array *a,
                        const struct permutation *permutation);
void batches_case_check_one(const struct data_array *a,
                            const struct permutation *permutation);
