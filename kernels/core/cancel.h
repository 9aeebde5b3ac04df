/* Cancellation of long loops.
 *
 * A mover tests its cancel flag before it moves anything, then about once a
 * MiB. If the flag is set it stops, returns false and leaves its output half
 * done. Where it tests the flag, its thread may let others pass.
 *
 * The rule for callers: once set, a flag stays set. So a caller that runs
 * several movers one after the other need not test each result; it calls
 * cancel_requested() once, after the last one, before it uses the results. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    CANCEL_STEP_BYTES = 1 << 20,
    /* A byte of text that is printed takes as long as so many that move. */
    CANCEL_PRINTED = 8,
};

/* The calling thread's function at each test of a flag; at first NULL: none. It
 * must not block, and is called about once in 0.2 ms of work. */
extern _Thread_local void (*cancel_pause)(void);

/* True if the flag is set. `flag` may be NULL: never. Any thread. Cold, so that
 * the loops that ask for it once in a while keep their registers. */
__attribute__((cold)) bool cancel_requested(const atomic_bool *flag);

/* Counts bytes between two tests of the flag. Zeroed but for the flag: the
 * first step tests it. */
struct cancel_check {
    const atomic_bool *flag; /* borrowed, may be NULL */
    size_t bytes_left;       /* until the next test */
};

/* Counts `bytes` bytes that are about to be moved. False: the caller stops. */
static inline bool cancel_step(struct cancel_check *check, size_t bytes)
{
    if (bytes < check->bytes_left) {
        check->bytes_left -= bytes;
        return true;
    }
    check->bytes_left = CANCEL_STEP_BYTES;
    return !cancel_requested(check->flag);
}
