/* The parts of move_code_avx512 that are its own. Private to the files that
 * are compiled for AVX-512 (F, BW, VL and VBMI). */
#pragma once

#include "kernels/move_rows.h"

void move_avx512_turn(const unsigned char *from, unsigned char *to,
                      size_t bytes, const struct move_order *order);
