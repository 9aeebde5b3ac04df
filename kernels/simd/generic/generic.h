/* The parts of move_code_plain. */
#pragma once

#include "kernels/move/bits_span.h"
#include "kernels/move/tiny_planes.h"
#include "kernels/simd/kernel_table.h"

void move_transpose_plain(const unsigned char *from, unsigned char *to,
                          const struct move_transpose *t);

void move_turn_plain(const unsigned char *from, unsigned char *to, size_t bytes,
                     const struct move_order *order);

void move_stream_plain(unsigned char *to, const unsigned char *from,
                       size_t bytes, const unsigned char *ahead);

void move_bits_plain(const unsigned char *from, unsigned char *to, size_t bytes,
                     const struct move_bits_way *way);

void move_swap_columns_plain(unsigned char *data, const struct move_tile *t);
void move_copy_columns_plain(const unsigned char *from, unsigned char *to,
                             const struct move_tile *t);
