/* The verdict that the tensor JSON modules should reach on a data array, from
 * jansson's tree of it and by brute force. Shares no code with them. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "kernels/core/tensor.h"

enum judge_verdict {
    JUDGE_ACCEPT,
    JUDGE_REFUSE,
    JUDGE_UNSURE, /* a number on the very edge, or too many cases to try */
};

/* `array` was read with integers as integers. */
enum judge_verdict judge_array(const json_t *array, enum dtype dtype,
                               const struct shape *shape);

/* The extents of the lists along the first items, as a shape. Never more than
 * SHAPE_MAX_RANK. */
struct shape judge_shape(const json_t *array, enum dtype dtype);

/* Writes what is in the array and is no list, in order, at most `limit` values;
 * returns their number. */
size_t judge_leaves(const json_t *array, const json_t **leaves, size_t limit);
