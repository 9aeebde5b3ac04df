/* What keys and bytes mean to the skimmer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* inputs[i].data: the top-level object, the array, its objects. */
enum { JSON_TOP_LEVEL = 1, JSON_INPUTS_LEVEL = 2, JSON_INPUT_LEVEL = 3 };

/* What a key means for the value behind it. */
enum json_key {
    JSON_KEY_OTHER,
    JSON_KEY_INPUTS,   /* at the top level */
    JSON_KEY_DATA,     /* of one of the inputs */
    JSON_KEY_DATATYPE, /* the same */
    JSON_KEY_ID,       /* at the top level */
};

/* Of `len` bytes between quotes, escapes and all, in an object at `level`,
 * which is inside of the top-level array "inputs" or not. */
enum json_key json_key_of(const char *key, size_t len, int level,
                          bool in_inputs);

/* Whether a number or a word ends in front of `c`. */
bool json_ends_scalar(char c);

/* How an error calls the value that starts with `c`; NULL for an array, null,
 * and what starts none. */
const char *json_name_of(char c);

/* What is known of an array before it is looked for: from behind the '[' at
 * `start` up to `behind` there is no bracket and no quote. `start` 0: nothing.
 */
struct json_known {
    size_t start, behind;
};

/* scan_array_end() for the array at `at` in `text`. */
const char *json_array_end(const char *text, const char *at, const char *end,
                           const struct json_known *known);
