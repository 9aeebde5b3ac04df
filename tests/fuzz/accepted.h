/* Properties of every data array that tensor_json_index() accepts: its tokens
 * have the values that jansson reads, its rows can be put in any order, and its
 * binary form prints as text that reads back the same. */
#pragma once

#include "api/tensor_json/tensor_json.h"

/* Aborts when a property is violated. */
void accepted_check(const struct data_array *a);
