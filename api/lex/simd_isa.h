/* The levels, one for each instruction set. Private to the wide modules. */
#pragma once

#include "api/lex/simd.h"

#ifndef WIDE_HAS_X86
#define WIDE_HAS_X86 0
#endif

#if WIDE_HAS_X86
extern const struct wide wide_avx2;
extern const struct wide wide_avx512;
const char *wide_avx512_note_integers(struct text_scan *s, const char *text,
                                      struct text_notes *notes);
const char *wide_avx512_note_floats(struct text_scan *s, const char *text,
                                    struct text_notes *notes);
#endif
