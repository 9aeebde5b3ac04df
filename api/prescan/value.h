/* JSON values as the pre-scan sees them: kinds and ends, no contents. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The part of one data array that was validated while the body arrived: from
 * behind the '[' at offset `start` up to offset `validated_end` it has no
 * bracket and no quote. `start` 0: no such part. */
struct validated_part {
    size_t start, validated_end;
};

/* The text of a document. */
struct document_text {
    const char *text; /* borrowed */
    size_t len;
    struct validated_part validated; /* a part that needs no second scan */
};

/* True if a number or a word ends in front of `c`. */
bool value_is_terminator(char c);

/* The name that errors give to the kind of value that starts with `c`; NULL for
 * an array, null, and bytes that start no value. */
const char *value_type_name(char c);

/* scan_array_end() for the array at `at` in the document `text`; skips the
 * validated part when it is this array's. */
const char *value_array_end(const char *text, const char *at, const char *end,
                            const struct validated_part *part);
