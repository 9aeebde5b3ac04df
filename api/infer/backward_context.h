/* The backward context: the lengths and axes of a forward pass, for its
 * gradient, as an opaque, URL-safe string. The client keeps it, so that any
 * replica can answer the gradient.
 *
 * The string is base64url of: a version byte; batch axis, time axis, batch and
 * time sizes and the lengths as LEB128 numbers; a 64-bit FNV-1a checksum. It is
 * not secret and not trusted: its numbers are checked like any other input. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/core/status.h"
#include "kernels/core/tensor.h"

struct infer;

struct backward_context {
    int64_t batch_axis;
    int64_t time_axis;
    int64_t batch; /* size of the batch axis: the number of lengths */
    int64_t time;  /* size of the time axis */
    const unsigned char *lens; /* borrowed: an int64_t each, not aligned */
};

/* Returns the string (free() it), or NULL without memory. */
char *backward_context_encode(const struct backward_context *context);

/* Reads a string; context->lens is *lens, for the caller to free, also after a
 * failure. Fails with INVALID when it is damaged, NO_MEMORY. */
bool backward_context_decode(const char *text, struct backward_context *context,
                             unsigned char **lens, struct status *st);

/* Checks that the context was made for a tensor of this shape. */
bool backward_context_fits(const struct backward_context *context,
                           const struct tensor *data, struct status *st);

/* Decodes the backward context that the request gives, if any, into lengths and
 * axes as if they had been given instead. Fails with INVALID, also when they
 * are given as well. */
bool backward_context_read(struct infer *infer, struct status *st);

/* Encodes lengths and axes into infer->backward_context when the request asks
 * for it. Fails with NO_MEMORY. */
bool backward_context_write(struct infer *infer, struct status *st);
