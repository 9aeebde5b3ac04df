/* The state of a scan of one data array, as far as its tokens go. The parser of
 * api/tensor_json embeds it; vector code sees nothing else of the parser.
 *
 * The byte before `end` is ']', which is part of no number and no word:
 * scanners of those may read the next byte without comparing it with `end`. */
#pragma once

#include <stdint.h>

#include "api/lex/number_range.h"
#include "api/lex/row_index.h"

struct token_stream {
    const char *text; /* borrowed: the first byte of the array */
    const char *at;   /* the next byte to read */
    const char *end;
    const char *validated_end;     /* tokens before it are known to be valid */
    const char *next_cancel_check; /* the scan checks `cancel` here */
    uint64_t tokens;               /* read so far */
    struct number_range range;
    struct row_index index;
};
