/* The nesting of a data array: its depth, the length of the lists of each
 * level, and whether these fit a shape. Private to api/tensor_json. */
#pragma once

#include "api/tensor_json/parser.h"

/* Level 1 is the array itself; COMPLEX may have one level more than dims. */
enum { NESTING_LEVELS = SHAPE_MAX_RANK + 1 };

struct nesting {
    int level;     /* lists that are open */
    int max_level; /* that the shape allows */
    int leaves; /* the level that holds elements; 0 before the first element */
    int levels; /* levels 1 .. levels have had a complete list */
    uint64_t items[NESTING_LEVELS + 1];   /* so far, in the open list */
    uint64_t extents[NESTING_LEVELS + 1]; /* length of a level's first list */
    bool has_extent[NESTING_LEVELS + 1];  /* that list is complete */
};

void nesting_init(struct nesting *nesting, const struct parser *p);

/* Opens the list whose '[' is at `at`. Fails when it stands beside elements or
 * is nested too deep. */
bool nesting_open(struct nesting *nesting, const struct parser *p,
                  const char *at);

/* Closes the innermost list. Fails when its length is not that of the first
 * list of its level. */
bool nesting_close(struct nesting *nesting, const struct parser *p);

/* After the last ']': checks the number of elements and the nesting against the
 * shape. */
bool nesting_fits(const struct nesting *nesting, const struct parser *p);
