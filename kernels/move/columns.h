/* The mover of ragged columns: time-major sequences, where the entries of a
 * column lie a stride apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/cancel.h"
#include "kernels/simd/kernel_table.h"

/* Adjacent columns, each reversed up to its own length. */
struct columns_args {
    size_t size;         /* bytes of an entry */
    size_t count;        /* columns */
    size_t time;         /* entries of a column */
    size_t step;         /* bytes from one entry of a column to the next */
    const int64_t *lens; /* borrowed: one a column, 0 to time */

    /* The first entry of the first column; the two are the same memory, for a
     * move in place, or do not overlap. */
    const unsigned char *from;
    unsigned char *to;

    unsigned char *scratch; /* borrowed: columns_scratch() bytes, or NULL */
    const struct kernel_table *kernels; /* borrowed */
    struct cancel_check *cancel;        /* borrowed */
};

/* Bytes of args->scratch with which the columns move fastest: 0 unless their
 * entries have 1, 2, 4 or 8 bytes, or 16 past the caches, and there are enough
 * of them. args->from, to and cancel are not read. */
size_t columns_scratch(const struct columns_args *args);

/* Moves the columns. False when cancelled. */
bool columns_move(const struct columns_args *args);
