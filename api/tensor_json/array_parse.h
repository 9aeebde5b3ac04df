/* The walk through the lists of a data array, without recursion. */
#pragma once

#include "api/tensor_json/parser.h"

/* Reads elements and commas from `at`, where an element starts, up to the ']'
 * after them, which becomes `at`. */
typedef bool (*tokens_fn)(struct parser *p);

/* Validates elements and stores rows in the index. */
tokens_fn tokens_index(enum dtype dtype);

/* Validates elements and stores their values in p->out. Not for BYTES. */
tokens_fn tokens_convert(enum dtype dtype);

/* Starts a parser. Fails with INVALID when the datatype has no JSON form or the
 * text does not start with '[' and end with ']'; TOO_LARGE past 4 GiB. */
bool array_parse_start(struct parser *p, const struct data_array *array,
                       const atomic_bool *cancel, struct status *st);

/* Reads the whole array, checks its nesting and the number of elements.
 * `read_list` reads the elements of one innermost list. */
bool array_parse(struct parser *p, tokens_fn read_list);
