/* The scanners of elements, one for each kind of datatype. */
#pragma once

#include "api/tensor_json/parser.h"

/* Reads elements and commas from `at`, where an element starts, up to the ']'
 * after them, which becomes `at`. */
typedef bool (*tokens_fn)(struct parser *p);

/* Validates elements and stores rows in the index. */
tokens_fn tokens_index(enum dtype dtype);

/* Validates elements and stores their values in p->out. Not for BYTES. */
tokens_fn tokens_convert(enum dtype dtype);
