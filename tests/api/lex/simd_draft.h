/* Lists of numbers for the suites of the wide levels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"

enum { WIDE_DRAFT_MOST = 4096, WIDE_DRAFT_TYPES = 14 };

extern const enum dtype wide_draft_types[WIDE_DRAFT_TYPES];

bool wide_draft_is_float(enum dtype dtype);

/* The draw begins anew from `seed`. */
void wide_draft_seed(uint32_t seed);

/* A number below `limit`. */
uint32_t wide_draft_pick(uint32_t limit);

/* A list whose first number has `lead` digits, with mostly small numbers; at
 * most WIDE_DRAFT_MOST bytes. Returns the length. */
size_t wide_draft(char *text, bool is_float, int lead, int count, bool wild);

/* `lists` lists of `row` numbers each, in text with `space` at each comma. */
size_t wide_draft_nest(char *text, int lists, int row, const char *space);
