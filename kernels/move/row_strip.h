/* Columns of entries that share lines with their neighbours, by way of a
 * scratch that holds some of each row: memory is read and written in rows only.
 * Private to move_columns.c. */
#pragma once

#include "kernels/move/columns.h"
#include "kernels/simd/kernel_table.h"

/* Columns on their way. */
struct move_columns_run {
    const struct move_columns *c;
    const struct move_code *code;
    struct cancel_check *pace;
    const unsigned char *from; /* the first entry of the first column */
    unsigned char *to;         /* the same, or from itself */
    bool far;                  /* in no near cache */
};

/* The largest of the lengths. */
size_t move_columns_longest(const struct move_columns *c);

/* The first row of all columns. */
struct move_tile move_columns_tile(const struct move_columns *c);

/* Whether that is faster than to move the entries straight, and the columns are
 * not too long. */
bool move_slab_takes(const struct move_columns_run *r);

/* False when cancelled. `*moved` is false when there was no memory for the
 * scratch, 8 MiB at most: then nothing is done. */
bool move_slab(const struct move_columns_run *r, bool *moved);
