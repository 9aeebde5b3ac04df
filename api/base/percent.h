/* A part of a URL, as it was sent: a segment of its path, a word of its query.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Decodes %XX into `out` of `size` bytes, without a NUL; false for what can be
 * no name: too long, a bad escape, a NUL. `out` may be `text`. */
bool percent_decode(const char *text, size_t len, char *out, size_t size,
                    size_t *out_len);
