/* Random lists of numbers for the tests of vector code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"

enum { RANDOM_LIST_MAX = 4096, RANDOM_LIST_TYPES = 14 };

extern const enum dtype random_list_types[RANDOM_LIST_TYPES];

bool random_list_is_float(enum dtype dtype);

/* Restarts the random numbers from `seed`. */
void random_list_seed(uint32_t seed);

/* A random number below `limit`. */
uint32_t random_list_pick(uint32_t limit);

/* Writes a list of mostly small numbers, at most RANDOM_LIST_MAX bytes. The
 * first number has `lead` digits; `wild` adds rare and malformed text. Returns
 * the length. */
size_t random_list_write(char *text, bool is_float, int lead, int count,
                         bool wild);

/* Writes `lists` lists of `row` numbers each, separated by `space`, a comma and
 * white space. Returns the length. */
size_t random_list_write_nested(char *text, int lists, int row,
                                const char *space);
