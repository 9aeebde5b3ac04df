/* --admin-port: health and metrics on a port, a loop and a connection limit of
 * their own, so that whoever looks after the service is answered when all its
 * connections are taken. Open from the start to the very end. Main thread
 * only. */
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
    bool on;
    struct listen_address address;
    int fd; /* the acceptor's, from the start on */
    struct acceptor acceptor;
    struct listener_profile profile;
    atomic_int phase; /* enum service_phase, of this port */
    struct loop loop;
    uv_timer_t timer;
};

/* Listens on the port, if there is to be one. INVALID when it cannot. */
bool admin_open(struct admin *admin, const struct options *options,
                struct status *st);

/* Answers there, when the service's own loops have been started;
 * service->jobs.metrics has room for ADMIN_METRICS more. `setup` is the loop's,
 * all but the profile. */
bool admin_start(struct admin *admin, struct loop_setup setup, uv_loop_t *uv,
                 struct status *st);

/* Answers what has been asked, within a moment, and ends the loop. */
void admin_stop(struct admin *admin);

/* Waits for the loop's end. */
void admin_join(struct admin *admin);
