#define JSON_SIMD_TABLE json_simd_portable
#define BLOCK_VECTOR 16
#include "api/lex/block.h"

#include "api/lex/simd_functions.h"
#include "tests/api/lex/simd_tables.h"
