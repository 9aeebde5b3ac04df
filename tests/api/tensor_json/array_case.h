/* Data arrays for the tests of the text modules, in blocks of memory of just
 * their size, so that a sanitizer sees reads past the end. */
#pragma once

#include "api/tensor_json/tensor_json.h"

/* An array named 'input' that starts at byte 100 of its document. `shape` is
 * written as "2,4". array_case_free() ends it. */
struct data_array array_case(enum dtype dtype, const char *shape,
                             const char *text);
struct data_array array_case_bytes(enum dtype dtype, const char *shape,
                                   const char *text, size_t len);
void array_case_free(struct data_array *a);

/* Whether tensor_json_index() takes it, with and without rows, and, but for
 * BYTES, tensor_json_to_binary() says the same; a refusal is in *st. Nothing is
 * written past what the header allows. */
bool array_case_accepted(const struct data_array *a, struct status *st);

/* A row of a table: an array, and a part of the text that refuses it. */
struct array_refusal {
    enum dtype dtype;
    const char *shape;
    const char *text;
    const char *message;
};
void array_case_refused(const struct array_refusal *refusal);
