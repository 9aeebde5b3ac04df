/* Lists of the codings or media types a client accepts: "gzip;q=0.5, *". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct accept_entry {
    const char *name; /* borrowed; `len` bytes, without parameters */
    size_t len;
    int weight; /* in thousandths */
};

/* Reads the first entry of `list` into *entry and returns the text after it;
 * NULL when there is no entry. A weight that cannot be read is 0. */
const char *accept_next(const char *list, struct accept_entry *entry);

/* Whether an entry is `name`, ignoring case. */
bool accept_is(const struct accept_entry *entry, const char *name);
