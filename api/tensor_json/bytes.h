/* BYTES tensors in their binary form: for each element a little-endian uint32
 * length and that many bytes. Elements have unequal lengths, so they move as
 * spans (struct span, lengths included). */
#pragma once

#include "api/tensor_json/tensor_json.h"

/* Checks that tensor->data holds exactly `count` elements and, where `rows` is
 * not NULL, indexes rows of `row` elements. Errors and `cancel` as in text.h;
 * they name the element whose length does not fit, and both numbers. */
bool bytes_index(const struct tensor *tensor, uint64_t count, uint64_t row,
                 struct span *rows, const atomic_bool *cancel,
                 struct status *st);

/* Writes the rows in order, tensor->bytes in all. */
void bytes_emit(const struct tensor *tensor, const struct span *rows,
                uint64_t row_count, void *out, const atomic_bool *cancel);

/* The exact length of what bytes_to_text() will write. Fails with INVALID,
 * naming the element and the binary form, when one is not UTF-8. Only after
 * bytes_index() has accepted the tensor. */
bool bytes_text_length(const struct tensor *tensor, uint64_t count, size_t *len,
                       const atomic_bool *cancel, struct status *st);

/* Writes the rows in order as JSON strings separated by commas; returns the
 * length. Only what JSON demands is escaped. */
size_t bytes_to_text(const struct tensor *tensor, const struct span *rows,
                     uint64_t row_count, char *out, const atomic_bool *cancel);
