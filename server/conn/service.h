/* The state that acceptors, loops and connections share: of the service, of a
 * listening port, of a loop. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "api/api.h"
#include "server/limits/address_limit.h"
#include "server/limits/peer.h"
#include "server/metrics/metrics.h"
#include "server/routes/route_auth.h"
#include "server/tls/tls.h"
#include "server/work/context.h"
#include "server/work/workers.h"

/* Only ever goes up. */
enum service_phase {
    SERVICE_RUNNING,
    SERVICE_DRAINING, /* serves on, but is not ready and keeps no connection */
    SERVICE_STOPPING, /* accepts no connection and closes the idle ones */
    SERVICE_ABORTING, /* aborts requests that still run */
};

struct listener_profile;
struct loop_context;
struct protocol; /* server/conn/connection_list.h */

/* The ports of a loop. */
enum loop_port_kind {
    LOOP_HTTP, /* or the admin port, which has a loop of its own */
    LOOP_GRPC,
    LOOP_PORTS,
};

/* An accepted socket. */
struct arrival {
    int fd; /* owned; moves with the arrival */
    enum loop_port_kind port;
    struct peer peer;
};

/* Each part is constant after start, atomic, or has a lock of its own. */
struct service {
    struct job_context jobs;
    struct workers workers;
    struct address_limit address_limit;
    struct route_auth route_auth;
    struct tls tls;
    atomic_int phase;          /* enum service_phase */
    atomic_size_t connections; /* open, from accept to close */
    atomic_bool has_cut;       /* requests, to stop in time */
    uint32_t instance; /* random: the first part of made-up request ids */
    /* The port of gRPC, on the loops of HTTP; NULL: there is none. Borrowed;
     * set before there are loops. */
    const struct listener_profile *grpc;
};

/* Reads the files that the options name. Before there are threads. After a
 * failure the process is to end. */
bool service_init(struct service *service, const struct options *options,
                  struct log *log, struct status *st);

/* Notes for /metrics that the certificates were just read, and whether they can
 * be used. Main thread. */
void service_note_tls(struct service *service, bool ok);

/* Notes that the stop of the service has aborted a request: the process logs it
 * once and exits with 1. Any thread. */
void service_note_cut(struct service *service);

/* No loop may be left. */
void service_free(struct service *service);

static inline enum service_phase
service_get_phase(const struct service *service)
{
    return (enum service_phase)atomic_load(&service->phase);
}

/* The settings of one listening port's loops. Constant while loops run. */
struct listener_profile {
    const struct protocol *protocol; /* borrowed */
    enum loop_port_kind port;
    size_t limit;   /* connections that may be open at once */
    size_t waiting; /* sockets that may wait for room beside them, 1 or more */
    bool tls;       /* connections speak TLS */
    bool unrestricted; /* --http-restricted-api does not hold here */
    bool counted;      /* in service.connections, and for each client address */

    /* True if the port serves the route; NULL: it serves all routes. */
    bool (*serves)(const struct api_route *route);
    const char *not_served; /* text of the 404 for the other routes */

    /* Borrowed: an enum service_phase, of the port's connections. The service's
     * readiness follows service.phase. */
    atomic_int *phase;

    /* Borrowed, or NULL: false. While it is true, loops may be given more
     * connections, and do not end. */
    const atomic_bool *is_open;

    /* Called on a loop's thread when a connection of the port is being closed:
     * it no longer counts, its descriptor may still be open. */
    void (*on_closed)(void *context);
    void *on_closed_context; /* borrowed */

    /* Called on a loop's thread when it ends. */
    void (*on_loop_done)(void *context);
    void *on_loop_done_context; /* borrowed */
};

/* The part of a loop that its connections and exchanges use. Loop thread only,
 * but for the atomics. */
struct loop_context {
    struct service *service;                /* borrowed, as the next two */
    const struct listener_profile *profile; /* of the loop's port */
    const uv_loop_t *uv;                    /* for its clock */
    int index;                              /* unique among the loops */
    uint64_t request_count;
    uint64_t handshake_ns; /* that all handshakes of TLS have taken */
    atomic_size_t open;    /* connections, arrivals among them */
    atomic_bool is_alive;  /* set at each tick; the watchdog clears it */
    struct worker_queue workers;
    struct metrics metrics; /* written by the loop's thread */
};

/* Milliseconds of the loop's clock, which stands still between two waits. */
static inline uint64_t loop_context_now_ms(const struct loop_context *loop)
{
    return uv_now(loop->uv);
}

static inline const struct options *
loop_context_options(const struct loop_context *loop)
{
    return loop->service->jobs.options;
}

static inline bool listener_profile_is_open(const struct listener_profile *port)
{
    return port && port->is_open && atomic_load(port->is_open);
}

/* The port of gRPC on the loop; NULL: there is none. */
static inline const struct listener_profile *
loop_context_grpc(const struct loop_context *loop)
{
    return loop->profile->counted ? loop->service->grpc : NULL;
}

static inline enum service_phase
loop_context_phase(const struct loop_context *loop)
{
    return (enum service_phase)atomic_load(loop->profile->phase);
}

/* True if at least 15 of 16 parts of the limit are open. The rest is for
 * addresses below their share, and connections of other addresses are closed.
 * Any thread. */
static inline bool
listener_profile_is_near(const struct listener_profile *profile, size_t open)
{
    return open >= profile->limit - profile->limit / 16;
}
