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

/* True if the entry is `name`, in any case. */
bool accept_is(const struct accept_entry *entry, const char *name);

/* The weight of a name in the list, and the index of its entry. A list without
 * the name may have a pattern that covers it: then the pattern's weight, and
 * INT_MAX. 0: not accepted. `names` has the spellings of the name, `patterns`
 * those of the patterns; NULL ends both. */
int accept_weight(const char *list, const char *const *names,
                  const char *const *patterns, int *index);
