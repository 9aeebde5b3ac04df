/* One event loop: a thread, libuv, and the connections of its ports. A
 * connection belongs to one loop for all its life, so it needs no locks. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "kernels/core/status.h"
#include "server/conn/connection_list.h"
#include "server/conn/service.h"

/* Bytes of a cache line. Loops lie in an array, and each is written by its own
 * thread. */
enum { LOOP_ALIGNMENT = 64 };

/* Accepted sockets on their way from the acceptor's thread to a loop's: first
 * in, first out. Any thread. */
struct arrivals {
    pthread_mutex_t lock; /* guards the members below */
    struct arrival *ring; /* owned */
    size_t capacity;      /* entries of the ring */
    size_t first, count;
};

struct loop_handles {
    uv_async_t wake;  /* arrivals or a new phase */
    uv_poll_t linger; /* of lingering sockets */
    uv_timer_t tick;
};

struct loop {
    _Alignas(LOOP_ALIGNMENT) struct loop_context context;
    struct arrivals arrivals;
    struct connection_list connections;
    struct loop_handles handles;
    uv_loop_t uv;
    uv_thread_t thread;
};

/* Starts the thread. Borrows service and profile; `index` is unique: it is a
 * part of made-up request ids. Fails with NO_MEMORY. */
bool loop_start(struct loop *loop, struct service *service,
                const struct listener_profile *profile, int index,
                struct status *st);

/* Gives the loop a socket; the caller keeps to the profile's limit. The
 * acceptor's thread. */
void loop_hand_over(struct loop *loop, const struct arrival *arrival);

/* Makes the loop read its port's phase. Any thread. */
void loop_wake(struct loop *loop);

/* Waits for the end of a loop that was started and told to stop. */
void loop_join(struct loop *loop);

/* Closes all handles of a libuv loop that does not run, and the loop. False
 * when work is left. */
bool loop_close_uv(uv_loop_t *uv);

/* Allocates space for `capacity` sockets, 1 or more. False without memory. */
bool arrivals_init(struct arrivals *arrivals, size_t capacity);

/* The ring must be empty. */
void arrivals_free(struct arrivals *arrivals);

/* The caller keeps the count below the capacity. */
void arrivals_push(struct arrivals *arrivals, const struct arrival *arrival);

/* Removes the oldest arrival; false when there is none. */
bool arrivals_pop(struct arrivals *arrivals, struct arrival *arrival);
