/* One pass over one data array: the state that the scanners of elements, the
 * nesting and the error texts share. Private to api/tensor_json. */
#pragma once

#include "api/lex/numbers.h"
#include "api/number/number.h"
#include "api/tensor_json/tensor_json.h"

/* The byte before `end` is ']', which is part of no number and no word:
 * scanners of those may read the next byte without comparing it with `end`. */
struct parser {
    const struct data_array *array;    /* borrowed */
    const struct value_format *format; /* of its datatype; static */
    const atomic_bool *cancel;         /* may be NULL */
    struct status *st;                 /* gets the refusal */
    uint64_t token_limit;              /* tokens that the shape holds */
    unsigned per_element;              /* tokens: 2 for COMPLEX, else 1 */
    const struct number_range *range;  /* of its numbers; static */

    const char *text; /* borrowed: the first byte of the array */
    const char *at;   /* the next byte to read */
    const char *end;
    const char *next_cancel_check; /* the scan checks `cancel` here */
    uint64_t tokens;               /* read so far */
    unsigned short_lists;         /* the next so many are not tried in blocks */
    const struct json_simd *simd; /* for the index */
    struct row_index index;
    unsigned char *out; /* borrowed: values go there, when they are converted */
};

/* tensor_json_index() of rows of `row` elements with an index that is empty, in
 * which they are stored. */
bool parser_index(const struct data_array *array, uint64_t row,
                  struct row_index *index, const atomic_bool *cancel,
                  struct status *st);

/* Error texts for data arrays: diagnose.c. The scanners only find that
 * something is wrong; these functions read the text there again and say what.
 * Elements are named by their index in the flat array. All return false.
 *
 * Reports a byte that is in no element: "malformed JSON at byte 17: ...", with
 * the element before it. */
bool diagnose_byte(const struct parser *p, const char *at, const char *what);

/* Reports the text at `start`, where token number p->tokens is expected:
 * it is no value, a value of another kind, or out of range. */
bool diagnose_element(const struct parser *p, const char *start);

/* Reports the text at p->at, after the token at `start`, which has been
 * counted: that token may be the beginning of a longer one. */
bool diagnose_rest(const struct parser *p, const char *start);

/* Reports the text at `at`, where the nesting requires a list. */
bool diagnose_list(const struct parser *p, const char *at);
