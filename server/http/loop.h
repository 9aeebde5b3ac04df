/* One event loop: a thread, libuv, and a libmicrohttpd of its own that it
 * drives. A connection lives and dies on one loop, so it needs no locks. */
#pragma once

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "kernels/core/status.h"
#include "server/http/connection.h"
#include "server/http/deadlines.h"
#include "server/jobs/service.h"
#include "server/metrics/metrics.h"

/* A socket on its way from the acceptor to the loop. */
struct arrival {
    int fd;
    struct peer peer;
};

/* The index of the admin port's loop: admin.h. Its connections are counted by
 * it alone, and it has a limit and phases of its own. */
enum { LOOP_ADMIN = -1, LOOP_ADMIN_CONNECTIONS = 64 };

struct loop {
    struct service *service; /* borrowed */
    int index;
    atomic_int admin_phase; /* enum service_phase, of the admin port's loop */
    uv_thread_t thread;
    uv_loop_t uv;
    uv_async_t wake;
    uv_poll_t poll;
    uv_prepare_t prepare;
    uv_timer_t timeout, tick;
    struct MHD_Daemon *mhd; /* owned */
    void (*on_done)(void *context);
    void *on_done_context; /* borrowed */

    pthread_mutex_t lock;     /* guards the arrivals */
    struct arrival *arrivals; /* owned; room for loop_room() */
    size_t arrival_count;

    atomic_size_t bytes; /* held by requests; the acceptor compares */
    atomic_size_t open;  /* connections, arrivals among them */

    /* The loop thread's. */
    struct deadlines deadlines;
    struct connection *connections; /* owned list */
    struct connection *adding;      /* being handed to libmicrohttpd */
    struct connection *sender;      /* of a large answer, in mid-send */
    bool need_run;                  /* libmicrohttpd has something resumed */
    bool untold;             /* libmicrohttpd has more to be told: intake.h */
    unsigned untold_turns;   /* of its turns in a row for that */
    uint64_t polls;          /* times that it asked what is ready */
    uint64_t calls;          /* of the access handler */
    uint64_t governed_calls; /* the same, when last looked at */
    unsigned idle_turns;     /* turns since then that did nothing */
    uint64_t request_count;

    struct metrics metrics; /* written by the loop thread only */
};

/* Connections that may be open at once: the service's, or the admin loop's. */
size_t loop_room(const struct loop *loop);

/* Until when connections are kept. Whether the service is ready is another
 * matter: service_phase(). */
enum service_phase loop_phase(const struct loop *loop);

/* Starts the thread. `on_done` is called on it when the loop has ended. */
bool loop_start(struct loop *loop, struct service *service, int index,
                void (*on_done)(void *context), void *context,
                struct status *st);

/* Hands a socket over. The acceptor's thread. */
void loop_hand_over(struct loop *loop, const struct arrival *arrival);

/* Makes the loop look at the service's phase. Any thread. */
void loop_wake(struct loop *loop);

/* Waits for the end of a loop that has been started and told to stop. */
void loop_join(struct loop *loop);
