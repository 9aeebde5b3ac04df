/* JSON strings inside a data array: the grammar, and their bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Checks the string whose opening quote is at *text: escapes, no control
 * characters, UTF-8, no lone surrogates. Moves *text behind the closing quote,
 * or to the byte that is wrong, and then says `why` (static storage). */
bool text_string_check(const char **text, const char *end, const char **why);

/* Writes the bytes of a checked string, moves *text behind it and returns their
 * number, which is less than the string's length. */
size_t text_string_bytes(const char **text, const char *end,
                         unsigned char *out);
