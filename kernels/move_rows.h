/* Stretches of rows, and the loops that move them: the one place where bytes
 * change places. */
#pragma once

#include <stddef.h>

/* Rows at two places, a and b, each walked with its own step. All figures but
 * the count are in units: bytes here, elements in move_bits.h. Row i of one
 * side and row j of the other never overlap. */
struct move_rows {
    size_t a, b;              /* of the first row */
    ptrdiff_t a_step, b_step; /* from one row to the next; may be negative */
    size_t count;             /* rows */
    size_t size;              /* of a row */
};

/* Exchanges the rows at a and at b. No alignment is needed. */
void move_rows_swap(unsigned char *data, const struct move_rows *rows);

/* Copies the rows at b of `from` to a of `to`. No alignment is needed. */
void move_rows_copy(const unsigned char *from, unsigned char *to,
                    const struct move_rows *rows);
