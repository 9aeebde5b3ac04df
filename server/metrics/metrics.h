/* The counters of /metrics.
 *
 * Each loop and the acceptor have a struct metrics of their own, which only
 * they write (counter.h). A thread that renders adds all of them up. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "api/server_state.h"
#include "server/metrics/model_counts.h"

enum metrics_rejection {
    METRICS_BODY_TOO_LARGE,
    METRICS_INFLIGHT_BYTES,
    METRICS_QUEUE_FULL,
    METRICS_QUEUE_DELAY,
    METRICS_CONNECTIONS,
    METRICS_ADDRESS_CONNECTIONS,
    METRICS_HEADER_TIMEOUT,
    METRICS_BODY_TIMEOUT,
    METRICS_SEND_TIMEOUT,
    METRICS_CROWD,      /* closed to make room near max-connections */
    METRICS_FLOOD,      /* HTTP/2 frames that ask for nothing, or resets */
    METRICS_REJECTIONS, /* how many */
};

enum {
    METRICS_ROUTES = 40,
    METRICS_CODES = 20,
    /* The status of a request whose client closed the connection before the
     * reply. It is counted and logged, never sent; the number is nginx's. */
    METRICS_CLIENT_GONE = 499,
};

struct metrics {
    /* A row for each route label, in the order of first use; static texts. */
    _Atomic(const char *) labels[METRICS_ROUTES];
    atomic_ullong requests[METRICS_ROUTES][METRICS_CODES];
    struct histogram seconds[METRICS_ROUTES];
    atomic_ullong received, sent; /* bytes of bodies */
    atomic_ullong rejected[METRICS_REJECTIONS];
    struct model_counts models[API_MODEL_SLOTS]; /* by the model's slot */
};

/* One finished request. */
struct metrics_request {
    const char *route; /* its label, static; NULL if the path has no route */
    int status;
    uint64_t duration_us; /* from the headers to the end of the reply */
    uint64_t received, sent;
    const struct model *model; /* NULL if the request reached none */
    struct model_times times;
};

/* The statuses with a row of their own; the 0 at the end stands for all
 * others. */
extern const int metrics_codes[METRICS_CODES];

extern const char *const metrics_rejection_labels[METRICS_REJECTIONS];

void metrics_count_request(struct metrics *metrics,
                           const struct metrics_request *request);
void metrics_count_rejection(struct metrics *metrics,
                             enum metrics_rejection reason);

/* Adds the counters of `part` to `total`, which the calling thread writes. */
void metrics_merge(struct metrics *total, const struct metrics *part);
