/* Arguments of the movers of ragged columns. */
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

static inline bool columns_args_in_place(const struct columns_args *args)
{
    return args->from == args->to;
}

/* Bytes from the first column's first entry to the end of its last row. */
static inline size_t columns_args_bytes(const struct columns_args *args)
{
    return args->time * args->step;
}

/* The largest of the lengths. */
static inline size_t columns_args_longest(const struct columns_args *args)
{
    size_t most = 0;

    for (size_t i = 0; i < args->count; i++)
        most = (size_t)args->lens[i] > most ? (size_t)args->lens[i] : most;
    return most;
}
