/* The table of plain C, for every processor: the oracle of the others. */
#pragma once

#include "kernels/simd/kernel_table.h"

extern const struct kernel_table kernel_table_generic;
