/* Percent escapes in a segment of a URL's path or a word of its query. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Decodes `text` into `out` of `size` bytes; writes no NUL. False when the
 * result is too long or has a NUL, or an escape is not valid. `out` may be
 * `text`. */
bool percent_decode(const char *text, size_t len, char *out, size_t size,
                    size_t *out_len);
