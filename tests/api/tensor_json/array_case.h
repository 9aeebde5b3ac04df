/* Data arrays for tests, behind which no byte can be read. */
#pragma once

#include "api/tensor_json/tensor_json.h"

/* An array named 'input' that starts at byte 100 of its document. `shape` is
 * written as "2,4". To be freed by array_case_free(). */
struct data_array array_case(enum dtype dtype, const char *shape,
                             const char *text);
struct data_array array_case_bytes(enum dtype dtype, const char *shape,
                                   const char *text, size_t len);
void array_case_free(struct data_array *a);

/* Whether tensor_json_index() accepts the array; *st gets the refusal. Asserts
 * that it answers alike with and without rows, as does tensor_json_to_binary()
 * except for BYTES, and that nothing is written past the documented size. */
bool array_case_accepted(const struct data_array *a, struct status *st);

/* A row of a table: an array, and a part of its error text. */
struct array_refusal {
    enum dtype dtype;
    const char *shape;
    const char *text;
    const char *message;
};
void array_case_refused(const struct array_refusal *refusal);
