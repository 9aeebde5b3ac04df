/* The objects that all jobs of the process share, whatever their transport.
 * Each is constant after the start, atomic, or has a lock of its own. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "kernels/core/status.h"
#include "server/config/options.h"
#include "server/limits/budget.h"
#include "server/limits/buffer_pool.h"
#include "server/limits/memory_plan.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"
#include "server/metrics/reload.h"
#include "server/shm/shm.h"
#include "server/work/served_models.h"

struct workers;

struct job_context {
    const struct options *options; /* borrowed */
    struct log *log;               /* borrowed */
    struct api_simd simd;          /* in use */
    int64_t started;               /* unix time, in seconds */
    struct budget budget;
    struct buffer_pool buffer_pool;
    struct workers *workers; /* borrowed; set by workers_init() */
    struct served_models models;
    struct shm shm;

    /* For /metrics: of the certificates, and their end in unix time; 0: none.
     * Written by the main thread. */
    struct reload tls_reload;
    atomic_llong certificate_expiry;

    /* For /metrics and the statistics; set before the first job. */
    struct memory_plan memory;
    struct metrics **metrics; /* borrowed, list and parts */
    int metrics_count;
    const atomic_size_t *connections; /* borrowed; open connections */
};

/* Initialises all but the workers and what follows `shm`. Reads the models
 * file and, if clients may register shared memory, installs the SIGBUS handler:
 * call it before there are threads. INVALID when an option or FLIPD_SIMD has a
 * bad value. After a failure there is nothing to free. */
bool job_context_init(struct job_context *context,
                      const struct options *options, struct log *log,
                      struct status *st);

/* No job may be left, and the workers have ended. */
void job_context_free(struct job_context *context);
