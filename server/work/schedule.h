/* Which request a free worker executes next, and who is refused instead of
 * waiting. Pure: no clock, no thread, no allocation; the caller locks.
 *
 * Three lanes by estimated cost. Each kind of thread takes certain lanes, so
 * that longer work never holds every thread:
 *
 *     SCHEDULE_FOR_SHORT   one thread     short
 *     SCHEDULE_FOR_MEDIUM  worker-count   short and medium, by equal time
 *     SCHEDULE_FOR_LONG    worker-count   long
 *
 * An entry has at most one place: it waits, or it runs, or neither. Times are
 * nanoseconds of any monotonic clock, handed in by the caller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/work/lane.h"

enum schedule_lane { SCHEDULE_SHORT, SCHEDULE_MEDIUM, SCHEDULE_LONG };
enum schedule_kind {
    SCHEDULE_FOR_SHORT,
    SCHEDULE_FOR_MEDIUM,
    SCHEDULE_FOR_LONG,
};
enum { SCHEDULE_LANES = 3 };

/* The largest costs of the short and the medium lane. A JSON body of 1 MB takes
 * 1 ms, a tensor printed as 1 MB of numbers 3 ms. */
#define SCHEDULE_SHORT_MAX UINT64_C(4000000)
#define SCHEDULE_MEDIUM_MAX UINT64_C(50000000)

struct schedule_settings {
    size_t max_waiting;    /* requests that may wait, of all lanes */
    uint64_t max_delay_ns; /* that a request may wait; 0: no limit */
    int workers;           /* threads of SCHEDULE_FOR_MEDIUM, and of LONG */
};

/* One lane with its running requests and the speed of its threads. The two sums
 * are of finished work, where each new request takes away one of 64 parts. */
struct schedule_service {
    struct lane waiting;
    int running;
    uint64_t running_cost;
    uint64_t done_ns, done_cost;
    unsigned growing; /* of 1024 requests, those that turned out longer */
};

struct schedule {
    struct schedule_settings settings;
    struct schedule_service lanes[SCHEDULE_LANES];
    size_t waiting; /* in all lanes */
    /* Cost of short requests that the threads for both have taken while medium
     * ones waited, less that of medium ones while short ones waited. */
    int64_t balance;
};

enum schedule_verdict {
    SCHEDULE_OK,
    SCHEDULE_FULL, /* max_waiting requests wait */
    SCHEDULE_LATE, /* it would wait longer than it may */
};

void schedule_init(struct schedule *schedule,
                   const struct schedule_settings *settings);

enum schedule_lane schedule_lane_of(uint64_t cost);

/* The largest cost of the lane. */
uint64_t schedule_lane_max(enum schedule_lane lane);

/* Initialises an entry that has no place. */
void schedule_entry_init(struct schedule_entry *entry);

/* Time that a request of this cost would wait, by the work before it and by the
 * speed of late. */
uint64_t schedule_wait_ns(const struct schedule *schedule, uint32_t address,
                          uint64_t cost);

/* Whether such a request may wait now. A request may wait max_delay_ns, or the
 * time that it will run if that is longer. For ten times max_delay_ns after one
 * of its address was refused, it may wait a twentieth of that only, unless none
 * of the address has waited a moment ago: a queue is for bursts, and one that
 * stands makes each wait and serves nobody more, less even, for bodies leave
 * the processor's caches while they wait. (Nichols and Jacobson, Controlling
 * Queue Delay, 2012; Maurer, Fail at Scale, 2015.) Where most requests turn out
 * longer, the next lane has to have room too. A request for which work was
 * done, `paid`, may wait twice max_delay_ns in any case. */
enum schedule_verdict schedule_check(struct schedule *schedule,
                                     uint32_t address, uint64_t cost, bool paid,
                                     uint64_t now_ns);

/* The same for a request whose body is still to come; its cost and its address
 * are set. With SCHEDULE_OK it is counted as if it waited, for max_delay_ns at
 * most, so that bodies are not read in vain: a client that announces a body and
 * does not send it takes nothing from others for longer, and a turn at most. */
enum schedule_verdict schedule_admit(struct schedule *schedule,
                                     struct schedule_entry *entry,
                                     uint64_t now_ns);

/* Counts it for as long again, as when more of the body has come: else large
 * bodies that take their time are all admitted. */
void schedule_renew(struct schedule *schedule, struct schedule_entry *entry,
                    uint64_t now_ns);

/* Ends that, if it has not ended. Before the cost changes. */
void schedule_forget(struct schedule *schedule, struct schedule_entry *entry);

/* Makes the entry wait; its cost and its address are set. A request that was
 * interrupted waits again without a check: the limits are for new ones. */
void schedule_push(struct schedule *schedule, struct schedule_entry *entry,
                   uint64_t now_ns);

/* True if schedule_take() would give a thread of this kind an entry. */
bool schedule_has_work(const struct schedule *schedule,
                       enum schedule_kind kind);

/* Makes the next entry for a thread of this kind run; NULL: none waits. */
struct schedule_entry *schedule_take(struct schedule *schedule,
                                     enum schedule_kind kind);

/* The entry, which runs, has ended after `ns` in its lane. */
void schedule_done(struct schedule *schedule, struct schedule_entry *entry,
                   uint64_t ns);

/* The entry, which runs, is interrupted: its thread is free for others. */
void schedule_pause(struct schedule *schedule, struct schedule_entry *entry);

/* Removes an entry that waits; false if it does not. */
bool schedule_remove(struct schedule *schedule, struct schedule_entry *entry);

/* Removes and returns one entry that is to be refused now; NULL: none. While
 * the oldest of a lane has waited longer than it may and more work waits than
 * can be done in that time, that is the newest of the address with the most;
 * and always one that has waited twice as long as it may. */
struct schedule_entry *schedule_shed(struct schedule *schedule,
                                     uint64_t now_ns);
