/* What the acceptor, the loops and the workers share. Everything here is
 * constant after start, atomic, or has a lock of its own. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "server/config/options.h"
#include "server/jobs/models.h"
#include "server/jobs/route_auth.h"
#include "server/limits/address_limit.h"
#include "server/limits/admission.h"
#include "server/limits/buffer_pool.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"
#include "server/shm/shm.h"
#include "server/tls/tls.h"

/* Only ever goes up. */
enum service_phase {
    SERVICE_RUNNING,
    SERVICE_DRAINING, /* serves on, but is not ready and keeps no connection */
    SERVICE_STOPPING, /* takes nobody new and closes who is idle */
    SERVICE_CUTTING,  /* cuts off what still runs */
};

struct service {
    const struct options *options; /* borrowed */
    struct log *log;               /* borrowed */
    struct buffer_pool buffer_pool;
    struct admission admission;
    struct address_limit address_limit;
    struct models models;
    struct route_auth route_auth;
    struct shm shm;
    struct tls tls;
    atomic_int phase;          /* enum service_phase */
    atomic_size_t connections; /* open, from accept to close */
    struct metrics **metrics;  /* owned list, borrowed parts */
    int metrics_count;
    uint32_t instance; /* random: the first part of made-up request ids */

    /* Called from any thread when a connection was closed. */
    void (*on_closed)(void *context);
    void *on_closed_context; /* borrowed */
};

/* Monotonic time. Any thread. */
uint64_t service_now_us(void);
uint64_t service_now_ns(void);

static inline enum service_phase service_phase(const struct service *service)
{
    return (enum service_phase)atomic_load(&service->phase);
}
