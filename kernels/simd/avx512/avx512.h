/* The parts of move_code_avx512 that are its own. Private to the files that
 * are compiled for AVX-512 (F, BW, VL and VBMI) and GFNI. */
#pragma once

#include "kernels/simd/kernel_table.h"

void move_avx512_turn(const unsigned char *from, unsigned char *to,
                      size_t bytes, const struct move_order *order);

/* Rows next to each other, of up to 64 bytes, in reverse order. */
void move_avx512_swap_reverse(unsigned char *data,
                              const struct move_rows *rows);
void move_avx512_copy_reverse(const unsigned char *from, unsigned char *to,
                              const struct move_rows *rows);

void move_avx512_stream(unsigned char *to, const unsigned char *from,
                        size_t bytes, const unsigned char *ahead);

/* Rows of 64 bytes or more. */
void move_avx512_swap_rows(unsigned char *data, const struct move_rows *rows);
void move_avx512_copy_rows(const unsigned char *from, unsigned char *to,
                           const struct move_rows *rows);

/* Columns of entries of any size. */
void move_avx512_swap_columns(unsigned char *data,
                              const struct move_tile *tile);
void move_avx512_copy_columns(const unsigned char *from, unsigned char *to,
                              const struct move_tile *tile);

/* Sequences of rows of up to 64 bytes, and of others. */
void move_avx512_swap_short_lens(unsigned char *data,
                                 const struct move_sequences *s);
void move_avx512_copy_short_lens(const unsigned char *from, unsigned char *to,
                                 const struct move_sequences *s);
void move_avx512_swap_lens(unsigned char *data, const struct move_sequences *s);
void move_avx512_copy_lens(const unsigned char *from, unsigned char *to,
                           const struct move_sequences *s);

void move_avx512_bits(const unsigned char *from, unsigned char *to,
                      size_t bytes, const struct move_bits_way *way);

void move_avx512_swap_bits(unsigned char *a, unsigned char *b, size_t bytes,
                           const struct move_bits_way *way);
void move_avx512_swap_bit_lens(unsigned char *data,
                               const struct move_bits *packing,
                               const struct move_sequences *s);
void move_avx512_copy_bit_lens(const unsigned char *from, unsigned char *to,
                               const struct move_bits *packing,
                               const struct move_sequences *s);

void move_avx512_take(const unsigned char *from, unsigned char *scratch,
                      const struct move_block *block);
void move_avx512_put(const unsigned char *scratch, unsigned char *to,
                     const struct move_block *block);

void move_avx512_rise(const unsigned char *from, unsigned char *to,
                      unsigned char *scratch, const struct move_rise *line);
