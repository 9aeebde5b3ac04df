/* Reverses rows of text in the request's memory. Private to api/tensor_json. */
#pragma once

#include "api/tensor_json/tensor_json.h"

struct in_place_reversal {
    const struct data_array *array;        /* borrowed */
    const struct permutation *permutation; /* borrowed */
    char *scratch;                         /* borrowed; array->len bytes */
    const atomic_bool *cancel;             /* may be NULL */
};

/* Permutes entries of axis 0, one after the other, as long as array->lengths
 * has all tokens of the entry and the permutation reverses rows inside of each
 * entry. `first` is the array's first element, in writable memory. Returns the
 * number of entries done; *bytes is their size, each element with its comma. */
uint64_t reverse_in_place(const struct in_place_reversal *job, char *first,
                          size_t *bytes);
