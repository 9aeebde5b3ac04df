/* The index of rows that a scan of a data array builds: where each row of
 * `row_tokens` tokens stands in the text. */
#pragma once

#include <stdint.h>

#include "api/lex/span.h"

struct row_index {
    struct span *rows;     /* borrowed; NULL when `capacity` is 0 */
    uint64_t capacity;     /* rows past it are counted as tokens, not stored */
    uint64_t count;        /* rows stored */
    uint64_t row_tokens;   /* tokens in a row */
    uint64_t tokens_left;  /* until the row being read is complete */
    const char *row_start; /* first token of the row being read */

    /* Called before another row is stored when `count` has reached `full`; it
     * takes `full` rows out of the index. Never called when `full` is 0. */
    void (*on_full)(struct row_index *index);
    uint64_t full;
    void *owner; /* borrowed; for on_full() */
};

/* To be called before each row is stored, not as soon as the index is full: an
 * error after the last row of the index is diagnosed by reading its last
 * element once more, so that text must still stand. */
static inline void row_index_reserve(struct row_index *index)
{
    if (index->full > 0 && index->count >= index->full)
        index->on_full(index);
}
