/* The parts of move_code_avx2. Private to the files that are compiled for
 * AVX2. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* Stretches for which move_rows_reverse() holds. */
void move_avx2_swap_reverse(unsigned char *data, const struct move_rows *rows);
void move_avx2_copy_reverse(const unsigned char *from, unsigned char *to,
                            const struct move_rows *rows);

/* Rows of 16 bytes or more. */
void move_avx2_swap_rows(unsigned char *data, const struct move_rows *rows);
void move_avx2_copy_rows(const unsigned char *from, unsigned char *to,
                         const struct move_rows *rows);

/* Columns of entries of any size. */
void move_avx2_swap_columns(unsigned char *data, const struct move_tile *tile);
void move_avx2_copy_columns(const unsigned char *from, unsigned char *to,
                            const struct move_tile *tile);

void move_avx2_transpose(const unsigned char *from, unsigned char *to,
                         const struct move_transpose *t);

void move_avx2_turn(const unsigned char *from, unsigned char *to, size_t bytes,
                    const struct move_order *order);

void move_avx2_bits(const unsigned char *from, unsigned char *to, size_t bytes,
                    const struct move_bits_way *way);
