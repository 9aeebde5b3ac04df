/* The parts of the generic table. Private to this folder. */
#pragma once

#include "kernels/simd/kernel_table.h"

void generic_transpose(const unsigned char *from, unsigned char *to,
                       const struct transpose *t);
