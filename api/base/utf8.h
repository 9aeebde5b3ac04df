/* UTF-8, one character at a time. */
#pragma once

#include <stddef.h>

/* Bytes of the character that starts at `text`, 1 to 4; 0 when the `len` >= 1
 * bytes start with no well-formed one. Overlong forms, surrogates and values
 * past U+10FFFF are not well-formed. */
size_t utf8_length(const unsigned char *text, size_t len);
