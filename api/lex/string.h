/* JSON strings inside a data array: the grammar, and their decoded bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Checks the string whose opening quote is at *text: escapes, no control
 * characters, UTF-8, no lone surrogates. Moves *text to the byte after the
 * closing quote, or to the byte that is wrong; *why then says what (static
 * storage). */
bool string_check(const char **text, const char *end, const char **why);

/* Writes the decoded bytes of a checked string, moves *text to the byte after
 * it and returns their number, which is less than the length of the string. */
size_t string_decode(const char **text, const char *end, unsigned char *out);
