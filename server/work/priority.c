#include "server/work/priority.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/clock/clock.h"

enum {
    /* A thread's turn on a processor that others want, too; of a worker, also
     * between two chances that it gives to others. */
    TURN_NS = 200000,
    KEEP_POLICY = 8, /* SCHED_FLAG_KEEP_POLICY */
};

/* Loops should run before workers: a loop runs for microseconds and many
 * clients wait for it, a worker for milliseconds. */
static const int nice_values[] = {
    [LANE_SHORT] = 5,
    [LANE_MEDIUM] = 5,
    [LANE_LONG] = 10,
};

/* What sched_setattr(2) takes; the C library has no name for it. */
struct sched_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

void priority_shorten_turns(void)
{
    struct sched_attributes attributes = {
        .size = sizeof(attributes),
        .flags = KEEP_POLICY,
        .nice = getpriority(PRIO_PROCESS, 0),
        .runtime_ns = TURN_NS,
    };

    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/* A nice value only says who gets how much. Who wakes on a processor that a
 * worker has may still wait for its turn to end, some milliseconds, before
 * Linux looks again. Nobody notices TURN_NS. */
void priority_give_way(void)
{
    static _Thread_local uint64_t since_ns;

    if (clock_now_ns() - since_ns < TURN_NS)
        return;
    sched_yield();
    since_ns = clock_now_ns();
}

void priority_lower(enum lane kind)
{
    /* The 0 is the calling thread. */
    setpriority(PRIO_PROCESS, 0, nice_values[kind]);
}
