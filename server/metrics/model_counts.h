/* What is counted of one model: by one thread, read by all. Part of metrics.h.
 *
 * Times are in nanoseconds, of the monotonic clock. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

enum { METRICS_BUCKETS = 16 }; /* of a histogram, beside the open one */

/* Names that dashboards know from other servers of this protocol. */
enum metrics_failure {
    METRICS_REJECTED,
    METRICS_CANCELED,
    METRICS_BACKEND,
    METRICS_OTHER,
    METRICS_FAILURES, /* how many */
};

enum model_stage {
    MODEL_QUEUE,  /* from the last byte of the body to the first step */
    MODEL_INPUT,  /* reading and checking */
    MODEL_INFER,  /* moving */
    MODEL_OUTPUT, /* until the answer is with the connection */
    MODEL_STAGES, /* how many */
};

/* The moments of one request; 0 for what it never came to. */
struct model_times {
    uint64_t arrived; /* headers in */
    uint64_t whole;   /* body in */
    uint64_t started, prepared, executed, sent;
};

struct model_counts {
    atomic_ullong success;
    atomic_ullong success_ns; /* of them, from `whole` to `sent` */
    atomic_ullong last_ms;    /* the latest one's end, unix time */
    atomic_ullong failures[METRICS_FAILURES];
    atomic_ullong failure_ns; /* of them, from headers to end */
    atomic_ullong stage_ns[MODEL_STAGES];
    atomic_ullong stages[MODEL_STAGES][METRICS_BUCKETS + 1];
    atomic_ullong pending; /* waiting for a worker, or with one */
};

/* Counts a request that was answered with 200. `now_ms` is unix time. */
void model_counts_success(struct model_counts *counts,
                          const struct model_times *times, uint64_t now_ms);

void model_counts_failure(struct model_counts *counts,
                          enum metrics_failure reason, uint64_t ns);

/* One more, or one less, between a loop and the workers. */
void model_counts_pending(struct model_counts *counts, int change);

/* Adds what `part` has counted to `total`, which the caller alone uses. */
void model_counts_merge(struct model_counts *total,
                        const struct model_counts *part);
