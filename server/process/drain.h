/* The end of the process, from SIGTERM or SIGINT on: reports not ready but
 * serves for drain-delay, then closes idle connections, then, after
 * exit-timeout-secs, aborts the requests that still run.
 *
 * A second signal aborts them at once. The admin port serves until all loops of
 * the other have ended, and replies for another 200 ms, or until a signal. Main
 * thread only, but for drain_loop_done(). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "server/net/acceptor.h"
#include "server/process/drain_machine.h"
#include "server/process/supervision.h"

struct drain {
    struct acceptor *port, *admin;   /* borrowed */
    struct supervision *supervision; /* borrowed; set after drain_init() */
    uv_signal_t terminate, interrupt;
    uv_timer_t timer; /* to the next step */
    uv_async_t loop_done;
    atomic_int done_count; /* loops that have ended, of both ports */
    struct drain_machine machine;
};

/* Signals are received from now on, and handled once `uv` runs. Fails with
 * NO_MEMORY, where descriptors are missing too. */
bool drain_init(struct drain *drain, uv_loop_t *uv, struct acceptor *port,
                struct acceptor *admin, struct status *st);

/* on_loop_done() of both ports: when all loops have ended, `uv` stops. Any
 * thread. */
void drain_loop_done(void *drain);
