/* --admin-port: health and metrics on a port that has a loop and a connection
 * limit of its own, so that they are served when the main port has no
 * connection left. Open until all other loops have ended. Main thread only. */
#pragma once

#include <stdbool.h>
#include <uv.h>

#include "server/http/loop.h"
#include "server/net/acceptor.h"

enum {
    ADMIN_METRICS = 2,      /* of service->jobs.metrics */
    ADMIN_CONNECTIONS = 64, /* open at once */
};

struct admin {
    bool on; /* there is an admin port */
    struct listen_address address;
    int fd; /* owned by the acceptor once it has started */
    struct acceptor acceptor;
    struct listener_profile profile;
    atomic_int phase; /* enum service_phase, of this port */
    struct loop loop;
    uv_timer_t timer; /* from admin_stop() to SERVICE_ABORTING */
};

/* Listens on the port, if the options name one. Fails with INVALID. */
bool admin_open(struct admin *admin, const struct options *options,
                struct status *st);

/* Starts to serve the port, if there is one. To be called after the start of
 * the main port's loops; the list of metrics has space for ADMIN_METRICS more.
 * `setup` is the loop's, all but the profile. */
bool admin_start(struct admin *admin, struct loop_setup setup, uv_loop_t *uv,
                 struct status *st);

/* Ends the loop. Requests that have arrived are served for another 200 ms. */
void admin_stop(struct admin *admin);

/* Waits for the end of the loop; does nothing without a port. */
void admin_join(struct admin *admin);
