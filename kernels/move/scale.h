/* Scaling by a coefficient: the only arithmetic on elements. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/dtype.h"

/* Multiplies `bytes` bytes of elements in place by `coefficient`. `dtype` is
 * one for which dtype_is_scalable() is true. FP64 and COMPLEX128 are multiplied
 * in double; all others in float, the coefficient rounded to float first, FP16
 * and BF16 rounded once at the end. Complex numbers scale both parts. `data`
 * needs no alignment; `cancel` as in move_swap(). */
bool scale_run(enum dtype dtype, void *data, size_t bytes, double coefficient,
               const atomic_bool *cancel);
