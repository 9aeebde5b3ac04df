/* Time-major sequences: adjacent columns, each reversed up to its own length.
 * A call covers rows row .. row + rows - 1 of all columns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ragged_columns {
    size_t size;         /* bytes of an entry, >= 1 */
    size_t count;        /* columns */
    size_t row, rows;    /* the rows of this call */
    size_t from_step;    /* bytes from one row to the next */
    size_t to_step;      /* the same for the target of a copy */
    const int64_t *lens; /* borrowed: one a column */
    bool nontemporal;    /* a copy should prefetch its source and write past
                          * the caches, in tables that can */
};
