/* The latest request of a histogram's bucket that belonged to a trace: it leads
 * from a figure to a trace.
 *
 * One thread writes, any thread reads. Zeroed: none yet. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { EXEMPLAR_TRACE_SIZE = 33 }; /* of a trace id as text, with its NUL */

struct exemplar {
    atomic_ullong version; /* odd while the other members are written */
    atomic_ullong trace_id[4], ns, when_ms;
};

struct exemplar_value {
    char trace_id[EXEMPLAR_TRACE_SIZE];
    uint64_t ns;      /* duration of the request */
    uint64_t when_ms; /* its end, unix time */
};

/* The writing thread only. */
void exemplar_write(struct exemplar *exemplar,
                    const struct exemplar_value *value);

/* False when there is none, or it is just being written. */
bool exemplar_read(const struct exemplar *exemplar,
                   struct exemplar_value *value);

/* Makes `total`, which the calling thread writes, the later of the two. */
void exemplar_merge(struct exemplar *total, const struct exemplar *part);
