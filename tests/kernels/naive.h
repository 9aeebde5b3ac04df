/* The oracle of the movers: one element at a time, straight from the formula,
 * sharing no code with the movers. And the generator of its cases. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/ops/permutation.h"

enum { NAIVE_MAX_BATCH = 4096 };

struct naive {
    struct shape shape;
    enum permutation_map maps[SHAPE_MAX_RANK];
    int batch_axis; /* where an axis is PERMUTATION_FLIP_LENS, else -1 */
    int64_t lens[NAIVE_MAX_BATCH];
};

/* Elements of the tensor. */
uint64_t naive_count(const struct naive *n);

/* The index of the input element that becomes element `index` of the result. */
uint64_t naive_source(const struct naive *n, uint64_t index);

/* The collapsed permutation that the kernels use. Freed with
 * permutation_free(). */
void naive_permutation(const struct naive *n, struct permutation *p);

/* True if a collapsed permutation moves nothing. */
bool naive_keeps_all(const struct permutation *p);

enum { NAIVE_FORMATS = 11 };
extern const struct element_format naive_formats[NAIVE_FORMATS];

size_t naive_bytes(const struct element_format *f, uint64_t count);

/* Copies element `from` of `in` to element `to` of `out`. */
void naive_copy_element(const struct element_format *f, const unsigned char *in,
                        uint64_t from, unsigned char *out, uint64_t to);

/* Repeatable numbers: the same seed, the same cases. */
uint64_t naive_random(uint64_t *state);
uint64_t naive_below(uint64_t *state, uint64_t limit);
void naive_fill(uint64_t *state, unsigned char *data, size_t size);

/* Ranks 0 to 6, at most 4096 elements; any mixture of flips, and in half of
 * the cases with two axes or more, lengths: none, one, all, equal, any. */
void naive_random_case(uint64_t *state, struct naive *n);

/* The same of ranks 2 to 4 and at most `most` elements, in which a dim of any
 * number of bits is as likely as one of any other: long axes and short ones. */
void naive_random_large(uint64_t *state, uint64_t most, struct naive *n);
