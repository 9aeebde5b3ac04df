/* Tensors as views of memory, and their shapes, with sizes that are checked for
 * overflow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"
#include "kernels/core/status.h"

/* The limit of this service, for every operator. */
enum { SHAPE_MAX_RANK = 32 };

/* Row-major. Each dim is in 0 .. 2^63-1. Rank 0 is a scalar: one element. */
struct shape {
    int rank;
    int64_t dims[SHAPE_MAX_RANK];
};

/* A view: owns nothing. `data` may be NULL where only shape and datatype
 * matter, as for the data of an operator's call. It need not be aligned. Data
 * of BYTES is, for each element, a uint32 length and that many bytes. */
struct tensor {
    const char *name; /* borrowed; for error texts */
    enum dtype dtype;
    struct shape shape;
    const unsigned char *data; /* borrowed */
    size_t bytes;
};

/* Takes over `rank` dims. Fails with INVALID past a limit; `name` goes into the
 * text. */
bool shape_read(struct shape *shape, const int64_t *dims, int rank,
                const char *name, struct status *st);

/* Product of the dims. A zero dim makes it 0 whatever the others are. Fails
 * with INVALID when it is 2^63 or more; `name` goes into the text. */
bool shape_count(const struct shape *shape, const char *name, uint64_t *count,
                 struct status *st);

/* Writes the shape as "[2, 3]" to `text` of `size` bytes, 8 or more; one that
 * does not fit is cut at a whole dimension. Returns `text`. */
const char *shape_print(const struct shape *shape, char *text, size_t size);

/* Size of `count` elements of a datatype other than BYTES, in bytes; packed
 * types round up to whole bytes. Fails with INVALID past SIZE_MAX / 2. */
bool tensor_bytes(enum dtype dtype, uint64_t count, const char *name,
                  size_t *bytes, struct status *st);

/* Reads element `index` of a tensor of integers (8 to 64 bits) or of floats
 * that hold whole numbers (FP16, BF16, FP32, FP64). Fails with INVALID, naming
 * tensor, index and value, when it is no whole number or outside int64. The
 * caller has checked the datatype's kind and that `index` is in range. */
bool tensor_integer(const struct tensor *tensor, uint64_t index, int64_t *value,
                    struct status *st);
