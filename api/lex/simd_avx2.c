#include "api/lex/block_avx2.h"

#include "api/lex/simd_functions.h"

const struct json_simd json_simd_avx2 = {.name = "avx2", JSON_SIMD_FUNCTIONS};
