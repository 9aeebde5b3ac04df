/* What the acceptor, the loops and the workers share. Everything here is
 * constant after start, atomic, or has a lock of its own. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "server/admission.h"
#include "server/buffers.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/models.h"
#include "server/options.h"
#include "server/peers.h"
#include "server/restrict.h"
#include "server/shm.h"
#include "server/tls.h"

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
    struct buffers buffers;
    struct admission admission;
    struct peers peers;
    struct models models;
    struct restrictions restrictions;
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
