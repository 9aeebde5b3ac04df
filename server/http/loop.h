/* One event loop: a thread, libuv, and an engine of its own that it drives. A
 * connection lives and dies on one loop, so it needs no locks. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "kernels/core/status.h"
#include "server/http/arrivals.h"
#include "server/http/connection.h"
#include "server/http/listener_profile.h"
#include "server/http/service.h"
#include "server/metrics/metrics.h"
#include "server/mhd/engine.h"

/* Bytes of a cache line. Loops lie in an array, and each is written by its own
 * thread. */
enum { LOOP_ALIGNMENT = 64 };

struct loop {
    _Alignas(
        LOOP_ALIGNMENT) struct service *service; /* borrowed, as the profile */
    const struct listener_profile *profile;      /* of its port */
    int index;
    uv_thread_t thread;
    uv_loop_t uv;
    uv_async_t wake;
    uv_poll_t poll;
    uv_prepare_t prepare;
    uv_timer_t timeout, tick;
    struct engine *engine; /* owned */
    void (*on_done)(void *context);
    void *on_done_context; /* borrowed */

    struct arrivals arrivals;
    atomic_size_t bytes; /* held by requests; the acceptor compares */
    atomic_size_t open;  /* connections, arrivals among them */

    /* The loop thread's. */
    struct worker_queue workers;
    struct connection *connections; /* owned list */
    uint64_t request_count;

    struct metrics metrics; /* written by the loop thread only */
};

/* The phase of its port's profile. Any thread. */
enum service_phase loop_phase(const struct loop *loop);

struct loop_setup {
    struct service *service;                /* borrowed, as the profile */
    const struct listener_profile *profile; /* of its port */
    int index;                              /* unique: in made-up request ids */
    void (*on_done)(void *context); /* called on its thread when it ends */
    void *on_done_context;          /* borrowed */
};

/* Starts the thread. Fails with NO_MEMORY. */
bool loop_start(struct loop *loop, const struct loop_setup *setup,
                struct status *st);

/* Hands a socket over. The acceptor's thread. */
void loop_hand_over(struct loop *loop, const struct arrival *arrival);

/* Makes the loop look at the service's phase. Any thread. */
void loop_wake(struct loop *loop);

/* Waits for the end of a loop that has been started and told to stop. */
void loop_join(struct loop *loop);
