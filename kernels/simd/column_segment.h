/* A piece of a row of ragged columns, small enough for the offsets of its
 * entries to be kept on the stack. */
#pragma once

#include <stddef.h>

/* Entries whose offsets are computed before the first of them is moved. */
enum { SEGMENT_COLUMNS = 64 };

/* Columns first .. first + count - 1 of a row, at most SEGMENT_COLUMNS. */
struct column_segment {
    size_t row, first, count;
};
