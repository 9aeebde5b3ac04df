/* Tensors as JSON text: data arrays are validated, permuted and converted.
 *
 * A data array is flat, or nested as its shape (dims of 1 may be left out).
 * COMPLEX elements are two numbers, interleaved or as [re, im] pairs. Text that
 * is only permuted is never converted: a token that arrived as `0.1` leaves as
 * `0.1`.
 *
 * Functions that fail set a status: INVALID, with the tensor's name and the
 * index of the element; TOO_LARGE past 4 GiB of text, the reach of a span;
 * CANCELLED when `cancel` (may be NULL) is set, which is checked about once a
 * MiB. All may be called by any thread. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/lex/numbers.h"
#include "kernels/core/status.h"
#include "kernels/core/tensor.h"
#include "kernels/ops/permutation.h"

/* A data array as it stands in a request, brackets included. */
struct data_array {
    const char *name; /* borrowed: of the tensor, for error texts */
    const char *text; /* borrowed */
    size_t len;
    size_t origin; /* of text[0] in the document, for byte offsets in errors */
    enum dtype dtype;
    struct shape shape;
    uint64_t count; /* of elements: the shape's product */
    /* Borrowed: of the numbers that were validated while the array arrived; or
     * NULL. */
    const struct comma_index *commas;
};

/* True if `count` elements of `dtype` have a JSON form: no elements always do.
 * The refusal names another way to send the tensor. `name` is the tensor's. */
bool tensor_json_supports(enum dtype dtype, uint64_t count, const char *name,
                          struct status *st);

/* The range of the numbers of `dtype`, for a comma_index; NULL when its
 * elements are no numbers. Static storage. */
const struct number_range *tensor_json_range(enum dtype dtype);

/* In one pass, validates the array with the exact grammar, every element
 * against its datatype (kind, range), and nesting and count against the shape.
 * Where `rows` is not NULL, indexes rows of `row` elements; `row` >= 1 divides
 * a->count. Never writes more than a->count / row spans. */
bool tensor_json_index(const struct data_array *a, uint64_t row,
                       struct span *rows, const atomic_bool *cancel,
                       struct status *st);

/* An array to permute, and the memory for it. All borrowed. */
struct tensor_json_job {
    const struct data_array *array;
    const struct permutation *permutation;
    struct span *rows;  /* tensor_json_move_capacity() of them */
    char *scratch;      /* array->len bytes */
    void *move_scratch; /* move_scratch() bytes, for rows of 64 bits */
    char *in_place;     /* array->text, which may be overwritten; or NULL */
    const atomic_bool *cancel;
};

/* Spans that tensor_json_move() needs; may be far fewer than there are rows. */
uint64_t tensor_json_move_capacity(const struct data_array *a,
                                   const struct permutation *permutation);

/* Validates as tensor_json_index() and writes the elements in the order of the
 * permutation as the inside of a flat JSON array (no outer brackets): *len
 * bytes at *out, at most array->len. *out points into `scratch`, or into
 * `in_place`. An array that is refused may have been overwritten in part. */
bool tensor_json_move(const struct tensor_json_job *job, char **out,
                      size_t *len, struct status *st);

/* The step of tensor_json_move() that writes: `count` rows of the array, which
 * has been validated, as the inside of a flat JSON array (no outer brackets),
 * tokens unchanged. `capacity` is at least the length of the rows, plus 1 for
 * each. Returns the length without the last comma. */
size_t tensor_json_emit(const struct tensor_json_job *job,
                        const struct span *rows, uint64_t count, char *out,
                        size_t capacity);

/* Validates as tensor_json_index() and converts to the binary form in the same
 * pass: tensor_bytes() bytes, padding bits 0. Not for BYTES. */
bool tensor_json_to_binary(const struct data_array *a, void *out,
                           const atomic_bool *cancel, struct status *st);

/* BYTES: writes the strings of the indexed rows, unescaped, in the binary form.
 * Needs at most tensor_json_strings_bound() bytes; returns the length. */
size_t tensor_json_strings_bound(const struct data_array *a);
size_t tensor_json_strings_to_binary(const struct data_array *a,
                                     const struct span *rows,
                                     uint64_t row_count, void *out,
                                     const atomic_bool *cancel);

/* The most bytes that tensor_json_print() writes for `count` elements.
 * Saturates at SIZE_MAX. Not for BYTES. */
size_t tensor_json_print_bound(enum dtype dtype, uint64_t count);

/* Prints `count` elements at *out as the inside of a flat JSON array and moves
 * *out to the end of the text. Floats have the shortest form that reads back to
 * the same bits, COMPLEX is interleaved. BOOL bytes must be 0 or 1. Not for
 * BYTES. */
bool tensor_json_print(const struct tensor *tensor, uint64_t count, char **out,
                       const atomic_bool *cancel, struct status *st);

/* BYTES tensors in the binary form: each element is a little-endian uint32
 * length and that many bytes. They move as spans, which include the lengths.
 *
 * Checks that tensor->data holds exactly `count` elements. Where `rows` is not
 * NULL, indexes rows of `row` elements, which divides `count`. Errors name the
 * element whose length does not fit, and both numbers. */
bool binary_strings_index(const struct tensor *tensor, uint64_t count,
                          uint64_t row, struct span *rows,
                          const atomic_bool *cancel, struct status *st);

/* Writes the rows in order, tensor->bytes in all. */
void binary_strings_emit(const struct tensor *tensor, const struct span *rows,
                         uint64_t row_count, void *out,
                         const atomic_bool *cancel);

/* The exact length of the text that binary_strings_to_text() writes. Fails with
 * INVALID, naming the element and the binary form, when an element is not
 * UTF-8. Only after binary_strings_index() has accepted the tensor. */
bool binary_strings_text_length(const struct tensor *tensor, uint64_t count,
                                size_t *len, const atomic_bool *cancel,
                                struct status *st);

/* Writes the rows in order as JSON strings separated by commas; returns the
 * length. */
size_t binary_strings_to_text(const struct tensor *tensor,
                              const struct span *rows, uint64_t row_count,
                              char *out, const atomic_bool *cancel);
