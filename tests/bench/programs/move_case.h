/* One case of the movers, measured beside memcpy of the same bytes, and the
 * summary of each class of cases. One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum move_class {
    MOVE_ROWS_LONG,
    MOVE_ROWS_SHORT,
    MOVE_ROWS_LONG_TIME,
    MOVE_ROWS_SHORT_TIME,
    MOVE_INNER,
    MOVE_INNER_TINY,
    MOVE_INNER_PACKED,
    MOVE_TIME_4,
    MOVE_TIME,
    MOVE_CLASSES,
};

/* [outer, time, inner, row] elements; lengths or a flip of time. */
struct move_case {
    enum move_class class;
    int64_t outer, time, inner, row;
    unsigned bits; /* of an element */
    bool lens;
};

/* Measures the case in `from` and `to` and prints its line. Nothing when the
 * name of its class does not start with `only`. */
void move_case_run(const struct move_case *c, const char *only,
                   unsigned char *from, unsigned char *to);

/* Prints the worst case of each class and its goal. */
void move_case_summary(void);
