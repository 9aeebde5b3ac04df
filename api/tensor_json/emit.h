/* Writes rows of text in their new order. Private to api/tensor_json. */
#pragma once

#include "api/tensor_json/tensor_json.h"

struct emit_job {
    const struct data_array *array; /* borrowed; has been validated */
    uint64_t array_rows;            /* rows of the whole array */
    const struct span *rows;        /* borrowed: the rows to write */
    uint64_t count;                 /* of them */
    const atomic_bool *cancel;      /* may be NULL */
};

/* Writes the rows in order as the inside of a flat JSON array (no outer
 * brackets), tokens unchanged. `capacity` is at least the length of the rows,
 * plus 1 for each. Returns the length without the last comma. */
size_t emit_rows(const struct emit_job *job, char *out, size_t capacity);
