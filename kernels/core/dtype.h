/* The datatypes of the protocol and the memory layout of their elements.
 *
 * Everything is little-endian. An element has 1, 2, 4 or 8 bits (packed types
 * never straddle a byte) or 1, 2, 4, 8 or 16 bytes. BYTES elements have no
 * fixed size; each has a length of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype {
    DTYPE_BOOL,
    DTYPE_INT8,
    DTYPE_INT16,
    DTYPE_INT32,
    DTYPE_INT64,
    DTYPE_UINT8,
    DTYPE_UINT16,
    DTYPE_UINT32,
    DTYPE_UINT64,
    DTYPE_FP16,
    DTYPE_BF16,
    DTYPE_FP32,
    DTYPE_FP64,
    DTYPE_COMPLEX64,
    DTYPE_COMPLEX128,
    DTYPE_BYTES,
    DTYPE_INT4,
    DTYPE_UINT4,
    DTYPE_UINT2,
    DTYPE_UINT1,
    DTYPE_FP8_E4M3,
    DTYPE_FP8_E5M2,
    DTYPE_FP8_E8M0,
    DTYPE_FP4_E2M1,
    DTYPE_NF4,
    DTYPE_COUNT,
};

enum dtype_kind {
    DTYPE_KIND_BOOL,
    DTYPE_KIND_INT,
    DTYPE_KIND_UINT,
    DTYPE_KIND_FLOAT,
    DTYPE_KIND_COMPLEX,
    DTYPE_KIND_BYTES,
    DTYPE_KIND_OPAQUE, /* only moved: no JSON form, no arithmetic */
};

/* All names, for people and metadata. */
#define DTYPE_ALL_NAMES                                                        \
    "BOOL, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, FP16, "   \
    "BF16, FP32, FP64, COMPLEX64, COMPLEX128, BYTES, INT4, UINT4, UINT2, "     \
    "UINT1, FP8_E4M3, FP8_E5M2, FP8_E8M0, FP4_E2M1, NF4"

struct dtype_traits {
    char name[16]; /* as the protocol spells it, and zeros */
    enum dtype_kind kind;
    unsigned bits;   /* of an element; 0 for BYTES */
    bool high_first; /* packed types: the first element is in the high bits */
};

/* The memory layout of a tensor's elements: all that a mover needs of a
 * datatype. */
struct element_format {
    unsigned bits;   /* 1, 2 or 4: packed into bytes; or 8 to 128 */
    bool high_first; /* packed: the first element of a byte is in its high bits
                      */
};

/* The row of `dtype` in the one table of datatypes. Static storage. */
const struct dtype_traits *dtype_info(enum dtype dtype);

/* The format of the elements of a datatype other than BYTES. */
struct element_format dtype_format(enum dtype dtype);

/* True for the types that scale_run() multiplies by a coefficient: FP16, BF16,
 * FP32, FP64, COMPLEX64 and COMPLEX128. */
bool dtype_is_scalable(enum dtype dtype);

/* Finds a datatype by its exact name of `len` bytes; false when unknown. */
bool dtype_parse(const char *name, size_t len, enum dtype *dtype);

/* FP16 and BF16, as bit patterns, to FP32: exact. NaN payloads keep their upper
 * bits; the NaN becomes quiet. */
float half_fp16_to_float(uint16_t fp16);
float half_bf16_to_float(uint16_t bf16);

/* Rounded once, to nearest, ties to even; values out of range become infinity.
 * NaN stays a NaN of the same sign. The argument is a double, so that a decimal
 * that was read as a double is not rounded a second time through FP32. */
uint16_t half_fp16_from_double(double value);
uint16_t half_bf16_from_double(double value);
