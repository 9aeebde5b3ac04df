/* The counters behind /metrics.
 *
 * Each loop and the acceptor have a struct metrics of their own and are its
 * only writers; whoever renders reads them all. So counting is a plain add
 * without a locked instruction, and a sum is never torn, only a moment old. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "server/metrics/model_counts.h"

enum metrics_rejection {
    METRICS_BODY_TOO_LARGE,
    METRICS_INFLIGHT_BYTES,
    METRICS_QUEUE_FULL,
    METRICS_CONNECTIONS,
    METRICS_ADDRESS_CONNECTIONS,
    METRICS_HEADER_TIMEOUT,
    METRICS_BODY_TIMEOUT,
    METRICS_SEND_TIMEOUT,
    METRICS_REJECTIONS, /* how many */
};

enum {
    METRICS_ROUTES = 40,
    METRICS_CODES = 20,
};

struct metrics {
    /* Places are given out as routes are first seen; static texts. */
    _Atomic(const char *) labels[METRICS_ROUTES];
    atomic_ullong requests[METRICS_ROUTES][METRICS_CODES];
    atomic_ullong seconds[METRICS_ROUTES][METRICS_BUCKETS + 1];
    atomic_ullong total_us[METRICS_ROUTES];
    atomic_ullong received, sent; /* bytes of bodies */
    atomic_ullong rejected[METRICS_REJECTIONS];
    struct model_counts models[MODEL_SLOTS]; /* by their slot */
};

/* One answered request, for metrics_request(). */
struct metrics_request {
    const char *route; /* its label, static; NULL where none was found */
    int status;
    uint64_t duration_us; /* headers in to answer out */
    uint64_t received, sent;
    const struct model *model; /* NULL where none was reached */
    struct model_times times;
};

/* What is read at the moment of asking. */
struct metrics_gauges {
    size_t connections, inflight_bytes, queue_depth;
    uint64_t log_dropped;
};

void metrics_request(struct metrics *metrics, const struct metrics_request *r);
void metrics_reject(struct metrics *metrics, enum metrics_rejection reason);

/* Adds what `part` has counted to `total`, which the caller alone uses. */
void metrics_merge(struct metrics *total, const struct metrics *part);

/* Writes Prometheus text; `models` is what there is to tell about. NULL without
 * memory; the caller frees. */
char *metrics_render(const struct metrics *total,
                     const struct metrics_gauges *gauges,
                     const struct model_set *models, size_t *len);
