/* Planes of a few short entries, next to each other and each in reverse order:
 * one permutation of a few bytes, again and again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/simd/kernel_table.h"

/* The permutation, for as many whole planes as go into a code's width. */
struct move_order {
    size_t size;            /* bytes of an entry */
    size_t period;          /* of a plane */
    size_t step;            /* of these planes */
    unsigned char from[64]; /* where byte i comes from; i from step on */
};

/* Moves what rows describe if it is of this kind, many planes of it. */
bool move_periods_swap(const struct move_code *code, unsigned char *data,
                       const struct move_rows *rows);
bool move_periods_copy(const struct move_code *code, const unsigned char *from,
                       unsigned char *to, const struct move_rows *rows);

/* What vectors leave: less than step + 64 bytes, of whole planes. */
void move_periods_rest(const unsigned char *from, unsigned char *to,
                       size_t bytes, const struct move_order *order);
