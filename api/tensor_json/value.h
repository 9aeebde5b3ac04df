/* One JSON value of any kind, read byte by byte: for error texts, which say
 * what stands in the place of an element. Private to api/tensor_json. */
#pragma once

enum value_kind {
    VALUE_MALFORMED,
    VALUE_INTEGER,
    VALUE_NUMBER, /* with fraction, exponent, or not finite */
    VALUE_BOOL,
    VALUE_STRING,
    VALUE_NULL,
    VALUE_OBJECT,
    VALUE_LIST,
};

struct value {
    enum value_kind kind;
    const char *end; /* of the value, or the byte that is wrong */
    const char *why; /* VALUE_MALFORMED: what is wrong; static */
};

/* Reads the value at `text`, in an array that ends at `end`; of an object and a
 * list only the first byte. */
struct value value_read(const char *text, const char *end);
