/* Two more tables of JSON functions, for every processor. */
#pragma once

#include "api/lex/simd.h"

/* Does nothing in blocks: all is left to the byte-by-byte code of the callers.
 * The tables of all instruction sets are compared with it. */
extern const struct json_simd json_simd_bytewise;

/* The block code without an instruction of the processor. */
extern const struct json_simd json_simd_portable;

/* The tables to compare: json_simd_portable, then those of this processor; NULL
 * after that. */
const struct json_simd *simd_tables_get(int i);

/* "avx2" or "portable". */
const char *simd_tables_name(const struct json_simd *simd);

/* Uses `simd` from now on; NULL: that of isa_active(). */
void simd_tables_select(const struct json_simd *simd);
