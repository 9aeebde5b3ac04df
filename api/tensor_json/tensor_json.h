/* Tensors as JSON text: data arrays that are checked, moved, and converted.
 *
 * A data array is flat, or nested rectangularly as its shape (dims of 1 may be
 * dropped). COMPLEX elements are two numbers, interleaved or as [re, im]
 * pairs. Text that is only moved is never converted: a token that arrived as
 * `0.1` leaves as `0.1`.
 *
 * Errors are INVALID and name the tensor and the element's index; CANCELLED
 * when `cancel` (may be NULL) was found set, which is looked at about once a
 * MiB; TOO_LARGE past 4 GiB of text, the reach of a span. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/lex/token_lengths.h"
#include "kernels/core/status.h"
#include "kernels/core/tensor.h"
#include "kernels/plan/permutation.h"

/* A data array as it stands in a request, brackets included. */
struct data_array {
    const char *name; /* borrowed: the tensor's, for error texts */
    const char *text; /* borrowed */
    size_t len;
    size_t origin; /* of text[0] in the document, for byte offsets in errors */
    enum dtype dtype;
    struct shape shape;
    uint64_t count;   /* of elements: the shape's product */
    size_t validated; /* bytes of it that tensor_json_read_early() has passed,
                         or 0 */
    struct token_lengths lengths; /* made by it, as far as they go */
};

/* A row of elements in its source: the first token's first byte, and the
 * length up to the end of the last token. 8 bytes, so that move_swap() moves
 * rows as 64-bit elements. */
struct span {
    uint32_t start;
    uint32_t len; /* bytes */
};

/* Whether elements of `dtype` have a JSON form; the refusal names the binary
 * one. */
bool tensor_json_supports(enum dtype dtype, const char *name,
                          struct status *st);

/* Passes over elements, each with a comma behind it, while their array is still
 * to come in full: `*at` is where one starts, and becomes where another one
 * does. `text` is the array, of which `len` bytes are there; one must precede
 * the first element. False when it will get no further. Takes notes as long as
 * there is room and no white space. */
bool tensor_json_read_early(enum dtype dtype, const char *text, size_t len,
                            size_t *at, struct token_lengths *lengths);

/* In one pass: validates the array with the exact grammar, every element
 * against its datatype (range, kind) and the nesting and count against the
 * shape, and, where `rows` is not NULL, indexes rows of `row` elements:
 * a->count / row of them. Nothing is written past that number, whatever the
 * text holds. `row` >= 1 divides a->count. */
bool tensor_json_index(const struct data_array *a, uint64_t row,
                       struct span *rows, const atomic_bool *cancel,
                       struct status *st);

/* Writes the rows in order as the inside of a flat JSON array (no outer
 * brackets), tokens unchanged, at most a->len bytes. Returns the length. Only
 * after tensor_json_index() has accepted the array. */
size_t text_emit(const struct data_array *a, const struct span *rows,
                 uint64_t row_count, char *out, const atomic_bool *cancel);

/* The same for rows out of some of a->count / `row_count` elements, and into
 * `room` bytes. */
size_t text_emit_part(const struct data_array *a, uint64_t all_rows,
                      const struct span *rows, uint64_t row_count, char *out,
                      size_t room, const atomic_bool *cancel);

/* tensor_json_index() and text_emit() in one, with the rows in the order that
 * the permutation gives them: at most a->len bytes of *out, *len in the end.
 * `rows` has room for tensor_json_move_capacity() spans, which may be far fewer
 * than there are rows. `place` is a->text again when the array may be
 * overwritten, or NULL; then the rows may be put there, *out is set to a place
 * in it, and what it pointed to is scratch. A text that is refused may have
 * been overwritten in part. */
uint64_t tensor_json_move_capacity(const struct data_array *a,
                                   const struct permutation *m);
bool tensor_json_move(const struct data_array *a, const struct permutation *m,
                      struct span *rows, char *place, char **out, size_t *len,
                      const atomic_bool *cancel, struct status *st);

/* Validates as tensor_json_index() and converts to the binary form in the same
 * pass: tensor_bytes() bytes, padding bits 0. Not for BYTES. */
bool tensor_json_to_binary(const struct data_array *a, void *out,
                           const atomic_bool *cancel, struct status *st);

/* BYTES: writes the indexed rows' strings, unescaped, in the binary form.
 * Needs at most tensor_json_strings_bound() bytes; returns the length. */
size_t tensor_json_strings_bound(const struct data_array *a);
size_t tensor_json_strings_to_binary(const struct data_array *a,
                                     const struct span *rows,
                                     uint64_t row_count, void *out,
                                     const atomic_bool *cancel);

/* The most bytes that tensor_json_print() writes for `count` elements.
 * Saturates at SIZE_MAX. Not for BYTES. */
size_t tensor_json_print_bound(enum dtype dtype, uint64_t count);

/* Prints `count` elements as the inside of a flat JSON array: floats in the
 * shortest form that reads back to the same bits, COMPLEX interleaved. Fails
 * when a BOOL byte is neither 0 nor 1. Not for BYTES. */
bool tensor_json_print(const struct tensor *tensor, uint64_t count, char *out,
                       size_t *len, const atomic_bool *cancel,
                       struct status *st);
