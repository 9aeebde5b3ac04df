/* The difference of two names, to suggest the name that was meant. */
#pragma once

#include <stddef.h>

enum { EDIT_DISTANCE_LONGEST = 63 }; /* letters of the second name */

/* The least number of letters that are added, left out or exchanged to make `b`
 * of `a`, where two neighbours in the wrong order count as one (the optimal
 * string alignment). `b_len` is at most EDIT_DISTANCE_LONGEST. */
int edit_distance(const char *a, size_t a_len, const char *b, size_t b_len);
