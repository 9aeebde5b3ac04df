/* The level that every processor has. */
#ifdef __SSE2__
#include "api/lex/block_sse2.h"
#else
#include "api/lex/block_swar.h"
#endif

#include "api/lex/simd_functions.h"

const struct json_simd json_simd_generic = {.name = "generic",
                                            JSON_SIMD_FUNCTIONS};
