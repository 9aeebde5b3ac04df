/* Text to numbers and back: libstdc++'s <charconv>, callable from C.
 *
 * Floats are read from a token that the JSON grammar of numbers has accepted,
 * or NaN, Infinity, -Infinity. The result is rounded correctly from the decimal
 * in one step, also for the 16-bit formats. A value too small for the format
 * becomes the nearest one (0 or the smallest). No locale, no allocation, any
 * thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "kernels/core/dtype.h"

/* False when the number rounds to infinity. */
bool number_parse_double(const char *text, size_t len, double *value);

/* Bytes of the longest text that a printer writes; there is no terminator. */
enum { NUMBER_TEXT_MAX = 32 };

/* Prints the shortest decimal that reads back to the same bits, or one of the
 * words NaN (for every NaN), Infinity and -Infinity, and returns its length.
 * Whole numbers have no fraction: 3, not 3.0. Negative zero is -0.0, for Python
 * reads -0 as the integer 0. */
size_t number_print_double(double value, char *text);

/* Numbers of JSON as 64-bit integers, exactly: 2.0, 2e0 and 20e-1 are the
 * integer 2, as in JSON Schema. */
enum integer_kind {
    INTEGER_EXACT,
    INTEGER_FRACTION,
    INTEGER_TOO_LARGE, /* past 64 bits, with or without a fraction */
};

/* Reads a number of JSON's grammar, of any length. *value is set when it is
 * exact. */
enum integer_kind integer_read(const char *text, size_t len, int64_t *value);

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

/* The JSON form of a datatype. A value is one JSON token: a COMPLEX element has
 * two. BYTES and datatypes without a JSON form have an empty one. */
const struct value_format *number_format(enum dtype dtype);

#ifdef __cplusplus
}
#endif
