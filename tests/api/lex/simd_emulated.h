/* The vector code for JSON with masks computed byte by byte, so that its
 * arithmetic is tested on every processor. */
#pragma once

#include "api/lex/simd.h"

extern const struct json_simd json_simd_emulated;
