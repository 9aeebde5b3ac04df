/* The nesting of a data array: how deep, how long the lists of each level are,
 * and whether that fits a shape. Private to the text modules. */
#pragma once

#include "api/tensor_json/parser.h"

/* Level 1 is the array itself; COMPLEX may have one more level than dims. */
enum { TEXT_NEST_LEVELS = TENSOR_MAX_RANK + 1 };

struct text_nest {
    int level;     /* lists that are open */
    int max_level; /* that the shape allows */
    int leaves;    /* the level that holds elements; 0 until one was seen */
    int levels;    /* levels whose extent is known are 1 .. levels */
    uint64_t items[TEXT_NEST_LEVELS + 1];   /* so far, in the list at hand */
    uint64_t extents[TEXT_NEST_LEVELS + 1]; /* of the first list of a level */
    bool known[TEXT_NEST_LEVELS + 1];
};

void text_nest_init(struct text_nest *nest, const struct text_scan *s);

/* A '[' at `at`. Fails when lists stand beside elements or too deep. */
bool text_nest_open(struct text_nest *nest, const struct text_scan *s,
                    const char *at);

/* The ']' at `at`. Fails when the list is not as long as the first one of its
 * level. */
bool text_nest_close(struct text_nest *nest, const struct text_scan *s,
                     const char *at);

/* After the last ']': whether count and nesting fit the shape. */
bool text_nest_fits(const struct text_nest *nest, const struct text_scan *s);
