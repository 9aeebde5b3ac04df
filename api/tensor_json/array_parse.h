/* The walk through the lists of a data array, without recursion. */
#pragma once

#include "api/tensor_json/tokens.h"

/* Starts a parser. Fails with INVALID when the datatype has no JSON form or the
 * text does not start with '[' and end with ']'; TOO_LARGE past 4 GiB. */
bool array_parse_start(struct parser *p, const struct data_array *array,
                       const atomic_bool *cancel, struct status *st);

/* Reads the whole array, checks its nesting and the number of elements.
 * `read_list` reads the elements of one innermost list. */
bool array_parse(struct parser *p, tokens_fn read_list);
