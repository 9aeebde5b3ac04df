#include "api/lex/block_avx512.h"

#include "api/lex/simd_functions.h"

const struct json_simd json_simd_avx512 = {.name = "avx512",
                                           JSON_SIMD_FUNCTIONS};
