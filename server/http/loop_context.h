/* The part of a loop that its connections and exchanges use. Loop thread only,
 * but for the atomics. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "server/http/listener_profile.h"
#include "server/http/service.h"
#include "server/jobs/worker.h"
#include "server/metrics/metrics.h"

struct loop_context {
    struct service *service;                /* borrowed, as the next two */
    const struct listener_profile *profile; /* of the loop's port */
    const uv_loop_t *uv;                    /* for its clock */
    int index;                              /* unique among the loops */
    uint64_t request_count;
    atomic_size_t bytes; /* that requests hold; the acceptor compares loops */
    atomic_size_t open;  /* connections, arrivals among them; the same */
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
