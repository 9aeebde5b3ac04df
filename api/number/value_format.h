/* The JSON form of the datatypes: one row a datatype.
 *
 * A value is one JSON token: a COMPLEX element has two. BYTES and datatypes
 * without a JSON form have an empty row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The range of a float datatype. */
struct float_range {
    size_t safe_exponent; /* every number below 10^safe_exponent is in range */
    bool (*holds)(const char *token, size_t len);
    const char *largest; /* text of the largest value */
};

struct value_format {
    /* Bytes of the longest text that print() writes, and a comma. */
    size_t bound;
    /* Prints value number `index` of `data`; returns the length. */
    size_t (*print)(const unsigned char *data, uint64_t index, char *out);
    /* Stores value number `index` of `data`; packed ones in ascending order.
     * The token has been validated and is in range, or NaN, Infinity,
     * -Infinity. */
    void (*store)(unsigned char *data, uint64_t index, const char *token,
                  size_t len);
    const struct float_range *range; /* NULL: not a float */
};

const struct value_format *value_format_get(enum dtype dtype);

#ifdef __cplusplus
}
#endif
