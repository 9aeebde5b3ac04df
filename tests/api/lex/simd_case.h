/* Data arrays that every instruction set must handle as the byte-by-byte code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"

/* Indexes `text` as `dtype`, with a shape of one element more than it has
 * commas, in rows of 1, 2, 3 and more. Asserts that acceptance, error text,
 * rows and the copies made of them are the same with each instruction set, all
 * in blocks of memory of just their size. Returns whether the array was
 * accepted. */
bool simd_case_check(const char *text, size_t len, enum dtype dtype);

/* The same for rows of `row` elements and the shape [count / row, row]. */
bool simd_case_rows(const char *text, size_t len, enum dtype dtype,
                    uint64_t count, uint64_t row);
