/* Which kernels this processor runs. An instruction set is a table in
 * kernels/simd, a value of `enum isa` and a row in dispatch.c. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* The table of isa_active(), which all movers use. Any thread. */
const struct kernel_table *dispatch_kernels(void);

/* The i-th best table that the processor supports, i from 0 on; NULL past the
 * last, which is the generic one. For tests. */
const struct kernel_table *dispatch_isa(int i);
