/* The objects that all jobs of the process share, whatever their transport.
 * Each is constant after the start, atomic, or has a lock of its own. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "api/server_state.h"
#include "kernels/core/status.h"
#include "server/config/options.h"
#include "server/limits/budget.h"
#include "server/limits/memory_plan.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"
#include "server/shm/shm.h"

struct workers;

/* The models that the daemon serves: the built-in ones, and those of the models
 * file (--models), which is read at the start and again at SIGHUP. */
struct served_models {
    struct reload reload; /* of the file; for /metrics */
    const char *path;     /* borrowed; NULL: built-in models only */
    pthread_mutex_t lock;
    struct model_set *set; /* one reference; with a path guarded by lock */
};

struct job_context {
    const struct options *options; /* borrowed */
    struct log *log;               /* borrowed */
    int64_t started;               /* unix time, in seconds */
    struct budget budget;
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
 * bad value; of the models file the text names file, line and field. After a
 * failure there is nothing to free. */
bool job_context_init(struct job_context *context,
                      const struct options *options, struct log *log,
                      struct status *st);

/* No job may be left, and the workers have ended. */
void job_context_free(struct job_context *context);

/* Reads the file again and logs the result. When it cannot be read, the models
 * stay as they are. Running requests keep the models that they started with.
 * One thread at a time. */
void served_models_reload(struct served_models *models, struct log *log);

/* The current models with a reference, which the caller gives back. Any
 * thread. */
struct model_set *served_models_ref(struct served_models *models);
