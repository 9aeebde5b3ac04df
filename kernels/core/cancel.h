/* When a mover looks at its cancel flag: at the start, then about once a MiB.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { CANCEL_STEP_BYTES = 1 << 20 };

/* Zeroed but for the flag: the first step looks. */
struct cancel_check {
    const atomic_bool *cancel; /* borrowed, may be NULL */
    size_t left;               /* bytes until the next look */
};

/* Counts `bytes` bytes that are about to be moved. False: stop here. */
static inline bool cancel_step(struct cancel_check *pace, size_t bytes)
{
    if (bytes < pace->left) {
        pace->left -= bytes;
        return true;
    }
    pace->left = CANCEL_STEP_BYTES;
    return !pace->cancel ||
           !atomic_load_explicit(pace->cancel, memory_order_relaxed);
}
