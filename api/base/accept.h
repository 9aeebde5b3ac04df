/* Lists of what a client accepts: "gzip;q=0.5, *". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct accept_entry {
    const char *name; /* borrowed; `len` bytes, without parameters */
    size_t len;
    int weight; /* in thousandths */
};

/* The first entry at or behind `list`, and what follows it; NULL when there is
 * none. A weight that cannot be read is 0. */
const char *accept_next(const char *list, struct accept_entry *entry);

/* In any case, as codings and media types are written. */
bool accept_is(const struct accept_entry *entry, const char *name);
