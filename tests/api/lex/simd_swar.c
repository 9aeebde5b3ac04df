#include "api/lex/block_swar.h"

#include "api/lex/simd_functions.h"
#include "tests/api/lex/simd_tables.h"

const struct json_simd json_simd_swar = {.name = "swar", JSON_SIMD_FUNCTIONS};
