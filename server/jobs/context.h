/* What all jobs of the process share, whichever transport they came by. Each
 * part is constant after start, atomic, or has a lock of its own. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>

#include "server/config/options.h"
#include "server/jobs/models.h"
#include "server/limits/admission.h"
#include "server/limits/buffer_pool.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"
#include "server/shm/shm.h"

struct job_context {
    const struct options *options; /* borrowed */
    struct log *log;               /* borrowed */
    struct buffer_pool buffer_pool;
    struct admission admission;
    struct models models;
    struct shm shm;
    struct metrics **metrics; /* owned list, borrowed parts */
    int metrics_count;
    const atomic_size_t *connections; /* borrowed: open ones, for /metrics */
};
