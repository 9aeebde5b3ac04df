/* Rows of text that change places where they stand. Private to the text
 * modules. */
#pragma once

#include "api/tensor_json/tensor_json.h"

struct text_flip {
    const struct data_array *a;  /* borrowed */
    const struct permutation *m; /* borrowed */
    char *scratch;               /* borrowed; a->len bytes */
    const atomic_bool *cancel;
};

/* Does entries of axis 0 for as long as there are notes of all of one and the
 * permutation is a reversal inside of each. `place` is the first element in
 * a->text, or in its writable form. Returns how many are done; *bytes is what
 * they take, each element with its comma. */
uint64_t text_flip(const struct text_flip *flip, char *place, size_t *bytes);
