/* One pass over one data array: the state that the scanners of elements, the
 * nesting and the error texts share. Private to api/tensor_json. */
#pragma once

#include "api/lex/row_index.h"
#include "api/number/number.h"
#include "api/tensor_json/tensor_json.h"

/* The byte before `end` is ']', which is part of no number and no word:
 * scanners of those may read the next byte without comparing it with `end`. */
struct token_stream {
    const char *text; /* borrowed: the first byte of the array */
    const char *at;   /* the next byte to read */
    const char *end;
    const char *next_cancel_check; /* the scan checks `cancel` here */
    uint64_t tokens;               /* read so far */
    struct number_range range;
    struct row_index index;
};

struct parser {
    struct token_stream stream;
    const struct data_array *array;    /* borrowed */
    const struct value_format *format; /* of its datatype; static */
    const atomic_bool *cancel;         /* may be NULL */
    struct status *st;                 /* gets the refusal */
    uint64_t token_limit;              /* tokens that the shape holds */
    unsigned per_element;              /* tokens: 2 for COMPLEX, else 1 */
    unsigned short_lists; /* the next so many are not tried in blocks */
    unsigned char
        *out; /* borrowed: values go there, by array_parse_convert() */
};
