/* Lists of numbers for the suites of the wide levels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"

enum { SIMD_DRAFT_MOST = 4096, SIMD_DRAFT_TYPES = 14 };

extern const enum dtype simd_draft_types[SIMD_DRAFT_TYPES];

bool simd_draft_is_float(enum dtype dtype);

/* The draw begins anew from `seed`. */
void simd_draft_seed(uint32_t seed);

/* A number below `limit`. */
uint32_t simd_draft_pick(uint32_t limit);

/* A list whose first number has `lead` digits, with mostly small numbers; at
 * most SIMD_DRAFT_MOST bytes. Returns the length. */
size_t simd_draft_list(char *text, bool is_float, int lead, int count,
                       bool wild);

/* `lists` lists of `row` numbers each, in text with `space` at each comma. */
size_t simd_draft_nested(char *text, int lists, int row, const char *space);
