/* Scaling by a coefficient: the one place with arithmetic. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/dtype.h"

/* Whether scale_run() takes this datatype: FP16, BF16, FP32, FP64, COMPLEX64
 * and COMPLEX128. */
bool scale_takes(enum dtype dtype);

/* Multiplies `bytes` bytes of elements in place by `coefficient`. FP64 and
 * COMPLEX128 in double; all others in float, the coefficient rounded to float
 * first, FP16 and BF16 rounded once at the end. Complex numbers scale both
 * parts. `data` needs no alignment; `cancel` as in move_swap(). */
bool scale_run(enum dtype dtype, void *data, size_t bytes, double coefficient,
               const atomic_bool *cancel);
