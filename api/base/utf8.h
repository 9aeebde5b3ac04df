/* UTF-8, one character at a time. */
#pragma once

#include <stddef.h>

/* Bytes of the character that starts at `text`, 1 to 4; 0 when the `len` bytes
 * there begin no well-formed one (overlong forms, surrogates and what lies past
 * U+10FFFF are not well-formed). `len` >= 1. */
size_t utf8_length(const unsigned char *text, size_t len);
