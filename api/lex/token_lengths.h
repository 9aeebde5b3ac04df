/* The lengths of the numbers of a list, recorded while they were validated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct token_lengths {
    /* Borrowed; may be NULL when `capacity` is 0. For each number from the
     * first one on: its bytes plus 1 for its comma. There is no white space. */
    unsigned char *lens;
    size_t capacity;
    size_t count; /* numbers recorded */
    bool done;    /* recording has ended: a number could not be recorded */
};
