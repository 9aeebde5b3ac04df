/* The levels, one for each instruction set. Private to the wide modules. */
#pragma once

#include "api/lex/simd.h"

#ifndef JSON_SIMD_X86
#define JSON_SIMD_X86 0
#endif

#if JSON_SIMD_X86
extern const struct json_simd wide_avx2;
extern const struct json_simd wide_avx512;
const char *wide_avx512_note_integers(struct text_scan *s, const char *text,
                                      struct token_lengths *lengths);
const char *wide_avx512_note_floats(struct text_scan *s, const char *text,
                                    struct token_lengths *lengths);
#endif
