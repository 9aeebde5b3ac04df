/* Columns side by side, each reversed up to its own length: time-major
 * sequences, where the entries of a column lie a stride apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/cancel.h"

struct move_columns {
    size_t at;           /* byte of the first entry of the first column */
    size_t size;         /* bytes of an entry */
    size_t count;        /* columns, next to each other */
    size_t time;         /* entries of a column */
    size_t step;         /* bytes from one entry of a column to the next */
    const int64_t *lens; /* borrowed: one a column, 0 to time */
};

/* Copies the columns at c->at of `from` to the same place of `to`, reversed;
 * the two are the same memory or do not overlap. `stream`: past the caches.
 * False when cancelled. Scratch memory is 8 MiB at most; without it the work
 * is slower, and done. */
bool move_columns(const struct move_columns *c, const unsigned char *from,
                  unsigned char *to, bool stream, struct cancel_check *pace);
