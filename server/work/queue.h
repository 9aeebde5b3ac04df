/* The requests that wait for a worker: chooses the next one for a free thread,
 * and refuses those that would wait too long. Pure: no clock, no thread, no
 * allocation; the caller locks.
 *
 * Three lanes by estimated cost. A thread belongs to a lane and works for it
 * alone, those of the medium lane for the short one too, so that longer work
 * never occupies every thread:
 *
 *     LANE_SHORT    one thread     short requests
 *     LANE_MEDIUM   worker-count   short and medium ones, by equal time
 *     LANE_LONG     worker-count   long ones
 *
 * Two lanes are too few. Measured on one core: cut at 50 ms, JSON of 0.3 MB
 * (1 ms) waits 14 ms (median) beside four clients with 1 MiB in gzip; cut at
 * either end, 95 % of requests of 1 MiB in gzip (10 ms) are refused beside four
 * clients with 8 MiB, since the estimate of their wait counts those.
 *
 * Inside a lane there is a round robin over the client addresses, and the
 * oldest request of an address comes first. Addresses are hashed into
 * LANE_ADDRESSES; two with one hash count as one.
 *
 * Costs are nanoseconds of an unloaded core, as far as they could be foreseen;
 * times are nanoseconds of any monotonic clock, handed in by the caller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

enum lane { LANE_SHORT, LANE_MEDIUM, LANE_LONG };
enum { LANES = 3, LANE_ADDRESSES = 256 };

/* The largest costs of the short and the medium lane. A JSON body of 1 MB takes
 * 1 ms, a tensor printed as 1 MB of numbers 3 ms. */
#define LANE_SHORT_MAX UINT64_C(4000000)
#define LANE_MEDIUM_MAX UINT64_C(50000000)

enum queue_place {
    QUEUE_NONE,
    QUEUE_WAITING,
    QUEUE_RUNNING,
};

/* A request. Zeroed, it has no place. */
struct queue_item {
    uint64_t cost;    /* set by the caller */
    uint32_t address; /* set by the caller: a hash of the client's address */
    enum queue_place place;
    enum lane lane;     /* of that place */
    uint64_t queued_ns; /* when it began to wait there */
    uint64_t wait_ns;   /* estimated by the last check, by the work before it
                         * and the lane's recent speed */
    uint64_t limit_ns;  /* how long it may wait; 0: no limit */
    TAILQ_ENTRY(queue_item) next;  /* of its address */
    TAILQ_ENTRY(queue_item) later; /* of the lane, by age */
};

TAILQ_HEAD(queue_items, queue_item);

/* One address, or several with the same hash. */
struct queue_address {
    struct queue_items items; /* that wait, the oldest first */
    size_t count;             /* of those */
    uint64_t empty_ns;  /* last time a new request found the queue empty */
    uint64_t strict_ns; /* end of the short limit after a refusal */
    TAILQ_ENTRY(queue_address) next; /* of the round, while items wait */
};

/* Also the speed of the lane's threads: done_ns and done_cost sum finished
 * work, and each new request takes 1/64 off them. */
struct queue_lane {
    struct queue_address addresses[LANE_ADDRESSES];
    TAILQ_HEAD(, queue_address) round; /* the first is served next */
    struct queue_items waiting;        /* the first waits longest */
    size_t count;                      /* of those */
    size_t address_count;              /* that they have */
    uint64_t cost;                     /* of all that wait */
    int running;
    uint64_t running_cost;
    uint64_t done_ns, done_cost;
    unsigned longer; /* of 1024 requests, those above the lane's cost */
};

struct queue_settings {
    size_t max_waiting;    /* requests that may wait, of all lanes */
    uint64_t max_delay_ns; /* that a request may wait; 0: no limit */
    int workers;           /* threads of the medium lane, and of the long one */
};

struct queue {
    struct queue_settings settings;
    struct queue_lane lanes[LANES];
    size_t waiting; /* in all lanes */
    /* Cost of short requests that threads of the medium lane have taken while
     * medium ones waited, less that of medium ones while short ones waited. */
    int64_t balance;
};

enum queue_verdict {
    QUEUE_OK,
    QUEUE_FULL, /* max_waiting requests wait */
    QUEUE_LATE, /* it would wait longer than it may */
};

void queue_init(struct queue *queue, const struct queue_settings *settings);

enum lane queue_lane_of(uint64_t cost);

/* The largest cost of the lane. */
uint64_t queue_lane_max(enum lane lane);

/* Checks whether the item may wait; its cost and its address are set. A request
 * may wait max_delay_ns, or its own cost if that is longer. For ten times
 * max_delay_ns after a refusal of its address the limit is a twentieth, unless
 * the address's queue was empty a moment ago: a queue is for bursts, and a
 * standing queue adds delay and no throughput; it even lowers it, since bodies
 * leave the processor's caches while they wait. (Nichols and Jacobson,
 * Controlling Queue Delay, 2012; Maurer, Fail at Scale, 2015.) Where most
 * requests exceed their lane's cost, the next lane must have room too. At twice
 * the capacity, requests of 1 MiB in gzip take 11 ms (median) by these two
 * rules, and up to 100 ms and 4 to 8 % more processor time without one of them.
 * A request for which work was done, `begun`, may wait twice max_delay_ns in
 * any case. */
enum queue_verdict queue_check(struct queue *queue, struct queue_item *item,
                               bool begun, uint64_t now_ns);

/* Makes the item wait; its cost and its address are set. A request that was
 * interrupted waits again without a check: the limits are for new ones. */
void queue_push(struct queue *queue, struct queue_item *item, uint64_t now_ns);

/* True if queue_take() would give a thread of this lane an item. */
bool queue_has_work(const struct queue *queue, enum lane thread);

/* Makes the next item for a thread of this lane run; NULL: none waits. */
struct queue_item *queue_take(struct queue *queue, enum lane thread);

/* The item, which runs, has ended after `ns` in its lane. */
void queue_done(struct queue *queue, struct queue_item *item, uint64_t ns);

/* The item, which runs, is interrupted: its thread is free for others. */
void queue_pause(struct queue *queue, struct queue_item *item);

/* Removes an item that waits; false if it does not. */
bool queue_remove(struct queue *queue, struct queue_item *item);

/* Removes and returns an item to refuse: it has waited twice its limit; NULL:
 * none. */
struct queue_item *queue_shed(struct queue *queue, uint64_t now_ns);
