/* BYTES tensors in the binary form: each element is a little-endian uint32
 * length and that many bytes. Elements differ in length, so they move as spans
 * (struct span, length prefixes included). Errors and `cancel` as in
 * tensor_json.h. */
#pragma once

#include "api/tensor_json/tensor_json.h"

/* How a tensor is divided into rows. */
struct binary_strings_rows {
    uint64_t count;    /* elements of the tensor */
    uint64_t row;      /* elements of a row; divides `count` */
    struct span *rows; /* borrowed: gets count / row spans; NULL: not wanted */
};

/* Checks that tensor->data holds exactly `count` elements, and indexes their
 * rows. Errors name the element whose length does not fit, and both numbers. */
bool binary_strings_index(const struct tensor *tensor,
                          const struct binary_strings_rows *want,
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
 * length. Only what JSON demands is escaped. */
size_t binary_strings_to_text(const struct tensor *tensor,
                              const struct span *rows, uint64_t row_count,
                              char *out, const atomic_bool *cancel);
