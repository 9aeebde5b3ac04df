/* The datatypes of the protocol and the memory layout of their elements.
 *
 * Everything is little-endian. An element has 1, 2, 4 or 8 bits (packed types
 * never straddle a byte) or 1, 2, 4, 8 or 16 bytes. BYTES elements have no
 * fixed size; each has a length of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every datatype, in the order of the metadata: X(name as the protocol spells
 * it, kind, bits of an element (0 for BYTES), high_first). u1 and u2 are packed
 * from the high bits down, as in OpenVINO; the 4-bit types from the low bits
 * up. */
#define DTYPE_LIST(X)                                                          \
    X(BOOL, BOOL, 8, false)                                                    \
    X(INT8, INT, 8, false)                                                     \
    X(INT16, INT, 16, false)                                                   \
    X(INT32, INT, 32, false)                                                   \
    X(INT64, INT, 64, false)                                                   \
    X(UINT8, UINT, 8, false)                                                   \
    X(UINT16, UINT, 16, false)                                                 \
    X(UINT32, UINT, 32, false)                                                 \
    X(UINT64, UINT, 64, false)                                                 \
    X(FP16, FLOAT, 16, false)                                                  \
    X(BF16, FLOAT, 16, false)                                                  \
    X(FP32, FLOAT, 32, false)                                                  \
    X(FP64, FLOAT, 64, false)                                                  \
    X(COMPLEX64, COMPLEX, 64, false)                                           \
    X(COMPLEX128, COMPLEX, 128, false)                                         \
    X(BYTES, BYTES, 0, false)                                                  \
    X(INT4, INT, 4, false)                                                     \
    X(UINT4, UINT, 4, false)                                                   \
    X(UINT2, UINT, 2, true)                                                    \
    X(UINT1, UINT, 1, true)                                                    \
    X(FP8_E4M3, OPAQUE, 8, false)                                              \
    X(FP8_E5M2, OPAQUE, 8, false)                                              \
    X(FP8_E8M0, OPAQUE, 8, false)                                              \
    X(FP4_E2M1, OPAQUE, 4, false)                                              \
    X(NF4, OPAQUE, 4, false)

#define DTYPE_VALUE(name, ...) DTYPE_##name,
enum dtype { DTYPE_LIST(DTYPE_VALUE) DTYPE_COUNT };

enum dtype_kind {
    DTYPE_KIND_BOOL,
    DTYPE_KIND_INT,
    DTYPE_KIND_UINT,
    DTYPE_KIND_FLOAT,
    DTYPE_KIND_COMPLEX,
    DTYPE_KIND_BYTES,
    DTYPE_KIND_OPAQUE, /* only moved: no JSON form, no arithmetic */
};

/* All names, separated by ", ", for people and metadata. */
#define DTYPE_AND_NAME(name, ...) ", " #name
#define DTYPE_ALL_NAMES (&DTYPE_LIST(DTYPE_AND_NAME)[2])

struct dtype_traits {
    char name[16]; /* as the protocol spells it, and zeros */
    enum dtype_kind kind;
    unsigned bits;
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

/* True for the types that scale_run() multiplies by a coefficient. */
#define DTYPE_SCALABLE_NAMES "FP16, BF16, FP32, FP64, COMPLEX64, COMPLEX128"
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
