/* Texts of others in a message: they may be long, and the sentence around them
 * must not be lost. */
#pragma once

#include <stddef.h>

/* Writes `text` of `len` bytes to `out` of `size` bytes, 8 or more; one that
 * does not fit is cut at a whole UTF-8 character and ends with "...". Returns
 * `out`. */
const char *shorten(const char *text, size_t len, char *out, size_t size);
