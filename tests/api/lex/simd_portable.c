#define BLOCK_VECTOR 16
#include "api/lex/block.h"

#include "api/lex/simd_functions.h"
#include "tests/api/lex/simd_tables.h"

const struct json_simd json_simd_portable = {.name = "portable",
                                             JSON_SIMD_FUNCTIONS};
