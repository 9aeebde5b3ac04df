/* Data arrays for which all levels must do the same as the code that goes byte
 * by byte. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"

/* Indexes `text` as `dtype` with a shape of as many elements as it has commas,
 * and one, in rows of 1, 2, 3 and more; asserts that acceptance, error text,
 * rows, and the copies made of them are the same at each level, in blocks of
 * memory of just their size. Returns whether the array was accepted. */
bool simd_case_check(const char *text, size_t len, enum dtype dtype);

/* The same for rows of `row` of a shape [count / row, row]. */
bool simd_case_rows(const char *text, size_t len, enum dtype dtype,
                    uint64_t count, uint64_t row);
