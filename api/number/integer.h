/* Numbers of JSON as 64-bit integers, exactly: 2.0, 2e0 and 20e-1 are the
 * integer 2, as in JSON Schema. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum integer_kind {
    INTEGER_EXACT,
    INTEGER_FRACTION,
    INTEGER_TOO_LARGE, /* past 64 bits, with or without a fraction */
};

/* Reads a number of JSON's grammar, of any length. *value is set when it is
 * exact. */
enum integer_kind integer_read(const char *text, size_t len, int64_t *value);
