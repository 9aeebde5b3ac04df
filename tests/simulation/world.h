/* A daemon without sockets, threads and clock: the real budget, leases,
 * schedule and drain, and simulated clients, workers and time. One seed gives
 * one course of events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/limits/budget.h"
#include "server/process/main_loop.h"
#include "server/work/queue.h"

enum { CONNECTIONS = 120, ADDRESSES = 24, WORKERS_MAX = 4 };
enum { THREADS_MAX = 2 * WORKERS_MAX + 1 };

#define NEVER UINT64_MAX
#define TICK_NS UINT64_C(100000000)

enum stage { IDLE, BODY, WAITING, RUNNING, SENDING, CLOSED };

/* A connection with its request. Exactly one event of it is due, or none while
 * the request waits or runs and its client lives. */
struct client {
    struct queue_item item;
    struct lease lease;
    enum stage stage;
    uint64_t due_ns;
    uint64_t deadline_ns; /* of the request's timeout */
    size_t body_left;
    unsigned answers; /* to the request; 1 when it ends */
    bool asked;       /* a request is under way */
    bool admitted, cut, refuse_result;
};

struct thread {
    enum lane lane;
    struct client *client; /* NULL: idle */
    uint64_t began_ns, due_ns;
};

/* When the turn of an address began to wait, to see that nobody starves. */
struct turn_watch {
    uint64_t since; /* requests that the lane had served */
    uint64_t bound; /* others that may be served first */
};

struct world {
    uint64_t random, now_ns, next_tick_ns, timer_ns, signal_ns;
    uint64_t must_end_ns; /* the drain has ended by then */
    uint64_t gap_ns;      /* between two requests of a client, on average */
    uint64_t events, requests;
    uint64_t answered[6]; /* by enum answer */
    struct budget budget;
    struct queue queue;
    struct drain drain;
    struct client clients[CONNECTIONS];
    struct thread threads[THREADS_MAX];
    int thread_count;
    uint64_t served[LANES];
    struct turn_watch turns[LANES][LANE_ADDRESSES];
};

enum answer { OK_200, REFUSED_503, LATE_504, TOO_LARGE_413, SLOW_408, GONE };

/* A number below `limit`. */
uint64_t world_random(struct world *world, uint64_t limit);

/* Begins an episode: a daemon with settings of its own, without requests. Keeps
 * the counters and the random numbers. */
void world_start(struct world *world);

/* Lets the next event happen; false when the episode has ended. */
bool world_step(struct world *world);

/* Ends the simulation with a message if an invariant does not hold. */
void check_world(const struct world *world);
void check_taken(struct world *world, const struct queue_item *item);
void check_end(const struct world *world);

/* Watches the turns: to be called after each change of a lane. */
void watch_turn(struct world *world, enum lane lane, uint32_t address);

_Noreturn void fail(const struct world *world, const char *what);
