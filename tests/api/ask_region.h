/* The shared memory of a request in tests: the same bytes for both of its
 * answers. Lists of regions end with a NULL name; NULL is an empty list. */
#pragma once

#include "api/server_state.h"

/* Shared memory that the request finds by its name. It has the same bytes
 * before both answers, and must have the same bytes after them. */
struct ask_region {
    const char *name;
    unsigned char *data; /* NULL: lost */
    size_t size;
    unsigned char *before, *after; /* set by ask() */
};

/* As api_regions.find; `context` is the list. */
bool ask_region_find(void *context, const char *name,
                     struct api_region *region);

/* Before the first answer, between both, and after the second. The last fails
 * the test when the two left different bytes. */
void ask_region_save(struct ask_region *regions);
void ask_region_restore(struct ask_region *regions);
void ask_region_compare(struct ask_region *regions);
