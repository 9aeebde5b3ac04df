/* When a file of the options was read last, and whether it could be used. One
 * thread writes, any thread reads. Zeroed: there is no such file. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

struct reload {
    atomic_llong at; /* unix time, in seconds; 0: never */
    atomic_bool ok;  /* false: what was read before is still used */
};

static inline void reload_note(struct reload *reload, bool ok)
{
    atomic_store(&reload->ok, ok);
    atomic_store(&reload->at, (long long)time(NULL));
}
