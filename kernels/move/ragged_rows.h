/* Sequences one after the other, each with its own length: batch-major. */
#pragma once

#include "kernels/simd/kernel_table.h"

/* Exchanges the first lens[i] rows of sequence i, for each that starts at
 * `data`, so that they stand in reverse order. */
void move_sequences_swap(const struct move_code *code, unsigned char *data,
                         const struct move_sequences *s);

/* Copies them, and what is behind their lengths, from `from` to `to`. */
void move_sequences_copy(const struct move_code *code,
                         const unsigned char *from, unsigned char *to,
                         const struct move_sequences *s);
