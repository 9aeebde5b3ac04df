/* What holds for every data array that tensor_json_index() accepts: its tokens
 * are the values that jansson reads, its rows can be put in any order, and its
 * binary form prints as text that reads back the same. */
#pragma once

#include "api/tensor_json/tensor_json.h"

/* Aborts when one of these does not hold. */
void accepted_check(const struct data_array *a);
