#include "api/lex/block_neon.h"

#include "api/lex/simd_functions.h"

const struct json_simd json_simd_neon = {.name = "neon", JSON_SIMD_FUNCTIONS};
