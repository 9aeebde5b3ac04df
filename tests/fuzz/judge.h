/* The verdict that the tensor JSON modules should reach on a data array, from
 * jansson's tree of it and by brute force. Shares no code with them. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "api/tensor_json/tensor_json.h"
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

/* jansson's tree of a text, read strictly, with more of its flags; or NULL. */
static inline json_t *judge_load(const char *text, size_t len, size_t flags)
{
    return json_loadb(text, len,
                      JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | flags, NULL);
}

/* Checks a data array that tensor_json_index() accepts, in accepted.c: its
 * tokens have the values that jansson reads, its rows can be put in any order,
 * and its binary form prints as text that reads back the same. Aborts when a
 * property is violated. */
void accepted_check(const struct data_array *a);
