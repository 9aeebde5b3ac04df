#include "server/jobs/priority.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>

#include "kernels/core/cancel.h"
#include "server/clock/clock.h"

enum { TURN_NS = 200000 }; /* of work between two chances for others */

/* Loops should run before workers: a loop runs for microseconds and many
 * clients wait for it, a worker for milliseconds. */
static const int nice_values[] = {
    [SCHEDULE_FOR_SHORT] = 5,
    [SCHEDULE_FOR_MEDIUM] = 5,
    [SCHEDULE_FOR_LONG] = 10,
};

/* A nice value only says who gets how much. Who wakes on a processor that a
 * worker has may still wait for its turn to end, some milliseconds, before
 * Linux looks again; with 0.2 ms nobody notices. */
static void give_way(void)
{
    static _Thread_local uint64_t since_ns;

    if (clock_now_ns() - since_ns < TURN_NS)
        return;
    sched_yield();
    since_ns = clock_now_ns();
}

void priority_lower(enum schedule_kind kind)
{
    /* The 0 is the calling thread. */
    setpriority(PRIO_PROCESS, 0, nice_values[kind]);
    cancel_pause = give_way;
}
