/* Whether a file of the options could be used when it was read last, and when
 * one was. A file that cannot be used at the start stops it. One thread writes,
 * any thread reads. Zeroed: there is no such file. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

struct reload {
    atomic_llong success_at; /* unix time of the last success, in seconds; 0:
                              * none */
    atomic_bool ok; /* false: what was read at success_at is still used */
};

static inline void reload_note(struct reload *reload, bool ok)
{
    atomic_store(&reload->ok, ok);
    if (ok)
        atomic_store(&reload->success_at, (long long)time(NULL));
}
