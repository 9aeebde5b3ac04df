/* The instruction sets that this build has. Private to api/lex. */
#pragma once

#include "api/lex/simd_table.h"

#ifndef JSON_SIMD_X86
#define JSON_SIMD_X86 0
#endif

#if JSON_SIMD_X86
extern const struct json_simd json_simd_avx2;
extern const struct json_simd json_simd_avx512;

/* For json_simd_avx512, from simd_avx512_lengths.c. */
const char *json_simd_avx512_measure_integers(struct token_stream *s,
                                              const char *text,
                                              struct token_lengths *lengths);
const char *json_simd_avx512_measure_floats(struct token_stream *s,
                                            const char *text,
                                            struct token_lengths *lengths);
#endif
