/* Sequences of packed elements one after the other, each of whole bytes, with
 * its own length. */
#pragma once

#include "kernels/move/bits.h"

/* As move_sequences_swap() and move_sequences_copy(), rows being elements. */
void move_bits_sequences_swap(const struct move_code *code,
                              const struct move_bits *packing,
                              unsigned char *data,
                              const struct move_sequences *s);
void move_bits_sequences_copy(const struct move_code *code,
                              const struct move_bits *packing,
                              const unsigned char *from, unsigned char *to,
                              const struct move_sequences *s);
