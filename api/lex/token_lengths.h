/* What is remembered of a list of numbers that has been looked at. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct token_lengths {
    /* Borrowed; NULL when there is no room. Of each number, from the first one
     * on: its bytes and the comma behind it, with no white space. */
    unsigned char *lens;
    size_t capacity;
    size_t count; /* numbers noted */
    bool done;    /* there is one that cannot be */
};
