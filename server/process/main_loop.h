/* The loop of the main thread: the ports' sockets, periodic work, and signals.
 *
 * Every five seconds it frees buffers that were not used for 30 s, returns
 * unused heap to the system, and reads certificates that have changed. SIGHUP
 * reads the models file and the certificates.
 *
 * SIGTERM or SIGINT begins the drain: reports not ready but serves for
 * drain-delay, then closes idle connections, then, after exit-timeout-secs,
 * aborts the requests that still run. A second signal aborts them at once. The
 * admin port serves until all loops of the other have ended, and replies for
 * another 200 ms, or until a signal. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "server/net/acceptor.h"
#include "server/process/systemd.h"

/* The order of the drain's steps, without a clock or a port: the simulation
 * drives it too. */
enum drain_state {
    DRAIN_SERVING,
    DRAIN_DELAY,    /* not ready, but serves on */
    DRAIN_REFUSING, /* accepts only connections that have begun */
    DRAIN_STOPPING, /* requests end */
    DRAIN_ABORTING, /* whatever still runs is aborted */
    DRAIN_ADMIN,    /* only replies of the admin port are left */
    DRAIN_ADMIN_ABORTING,
    DRAIN_ENDED, /* nothing is left */
    DRAIN_STUCK, /* a request does not end: the process exits without it */
};

enum drain_event {
    DRAIN_ON_SIGNAL,
    DRAIN_ON_TIMER,
    DRAIN_ON_PORT_DONE,  /* the loops of the main port have ended */
    DRAIN_ON_ADMIN_DONE, /* that of the admin port, too */
};

struct drain {
    enum drain_state state;
    int64_t delay_ms, exit_ms; /* --drain-delay, --exit-timeout-secs */
    bool has_admin;            /* there is an admin port */
};

/* True if the state has changed: then the timer is to be set to *timer_ms, or
 * stopped if that is negative. */
bool main_loop_drain(struct drain *drain, enum drain_event event,
                     int64_t *timer_ms);

/* The longest time from the first signal to the end of the process. */
int64_t main_loop_drain_limit_ms(const struct drain *drain);

struct main_loop {
    uv_loop_t uv;
    struct acceptor *port, *admin; /* borrowed, as the next */
    struct systemd *manager;
    uv_signal_t terminate, interrupt, reload;
    uv_timer_t period;
    int64_t slack;   /* when the heap was trimmed last */
    uv_timer_t step; /* to the next one of the drain */
    uv_async_t loop_done;
    atomic_int done_count; /* loops that have ended, of both ports */
    struct drain drain;
};

/* Signals are received from now on, and handled once `uv` runs. Fails with
 * NO_MEMORY, where descriptors are missing too. */
bool main_loop_init(struct main_loop *loop, struct acceptor *port,
                    struct acceptor *admin, struct systemd *manager,
                    struct status *st);

/* on_loop_done() of both ports: when all loops have ended, `uv` stops. Any
 * thread. */
void main_loop_note_done(void *loop);
