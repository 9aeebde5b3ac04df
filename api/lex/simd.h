/* Which vector functions for JSON are used in this process. */
#pragma once

#include "api/lex/simd_table.h"

/* The tables of this processor, best first: 0 is the best instruction set, the
 * last one is `generic`. NULL after that. */
const struct json_simd *json_simd_supported(int i);

/* The table in use, never NULL: that of isa_active(), unless json_simd_select()
 * was called. Any thread. */
const struct json_simd *json_simd_active(void);

/* Uses `simd` from now on, NULL for `generic`. Scans that are running may see
 * either table. */
void json_simd_select(const struct json_simd *simd);
