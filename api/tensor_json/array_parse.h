/* The walk through the lists of a data array, without recursion. */
#pragma once

#include "api/tensor_json/parser.h"

/* Starts a parser. Fails with INVALID when the datatype has no JSON form or the
 * text does not start with '[' and end with ']'; TOO_LARGE past 4 GiB. */
bool array_parse_start(struct parser *p, const struct data_array *array,
                       const atomic_bool *cancel, struct status *st);

/* Stores rows of `row` elements to `rows`, at most `capacity` of them. */
void array_parse_set_rows(struct parser *p, struct span *rows, uint64_t row,
                          uint64_t capacity);

/* Read the whole array, and check its nesting and the number of elements: to
 * store the rows in the index, or the values, not of BYTES, in p->out. */
bool array_parse_index(struct parser *p);
bool array_parse_convert(struct parser *p);
