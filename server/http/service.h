/* The state that acceptors and loops share: the context of their jobs, and the
 * state of connections. Each part is constant after start, atomic, or has a
 * lock of its own. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "server/jobs/context.h"
#include "server/limits/address_limit.h"
#include "server/mhd/io_selftest.h"
#include "server/routes/route_auth.h"
#include "server/tls/tls.h"

/* Only ever goes up. */
enum service_phase {
    SERVICE_RUNNING,
    SERVICE_DRAINING, /* serves on, but is not ready and keeps no connection */
    SERVICE_STOPPING, /* accepts no connection and closes the idle ones */
    SERVICE_ABORTING, /* aborts requests that still run */
};

struct service {
    struct job_context jobs;
    struct address_limit address_limit;
    struct route_auth route_auth;
    struct tls tls;
    enum io_mode io_mode;      /* of libmicrohttpd */
    atomic_int phase;          /* enum service_phase */
    atomic_size_t connections; /* open, from accept to close */
    uint32_t instance; /* random: the first part of made-up request ids */
};

static inline enum service_phase
service_get_phase(const struct service *service)
{
    return (enum service_phase)atomic_load(&service->phase);
}
