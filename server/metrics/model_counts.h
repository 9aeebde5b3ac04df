/* The counters of one model. One thread writes them, any thread reads.
 *
 * Times are nanoseconds of the monotonic clock. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/metrics/histogram.h"

/* Reasons of failed requests, named as other servers of this protocol name
 * them, so that existing dashboards work. */
enum model_failure {
    MODEL_REJECTED,
    MODEL_CANCELED,
    MODEL_BACKEND,
    MODEL_OTHER,
    MODEL_FAILURES, /* how many */
};

enum model_stage {
    MODEL_QUEUE,  /* from the last byte of the body to the first step */
    MODEL_INPUT,  /* reading and checking */
    MODEL_INFER,  /* moving */
    MODEL_OUTPUT, /* until the reply has been handed to the connection */
    MODEL_STAGES, /* how many */
};

/* A stage's name: in flipd's own metrics, in the log and in Server-Timing; and
 * in the statistics extension, as other servers name it. */
extern const char *const model_stage_names[MODEL_STAGES];
extern const char *const model_stage_statistics[MODEL_STAGES];
extern const char *const model_failure_labels[MODEL_FAILURES];

/* The moments of one request; 0 for a stage that it has not reached. */
struct model_times {
    uint64_t arrived; /* headers received */
    uint64_t whole;   /* body received */
    uint64_t started, prepared, executed, sent;
    uint64_t paused; /* when it began to wait again, or 0 */
};

/* The length of a stage; false if the request has not reached its end. */
bool model_times_stage(const struct model_times *times, enum model_stage stage,
                       uint64_t *ns);

struct model_counts {
    atomic_ullong success;
    atomic_ullong success_ns; /* sum over successes, from `whole` to `sent` */
    atomic_ullong last_ms;    /* end of the latest success, unix time */
    atomic_ullong failures[MODEL_FAILURES];
    atomic_ullong failure_ns; /* sum over failures, from headers to end */
    struct histogram stages[MODEL_STAGES]; /* of successes */
    atomic_ullong pending; /* requests queued for a worker or run by one */
};

/* Counts a request that was answered with 200. `now_ms` is unix time. */
void model_counts_success(struct model_counts *counts,
                          const struct model_times *times, uint64_t now_ms);

/* Counts a request that failed `ns` after its headers. */
void model_counts_failure(struct model_counts *counts,
                          enum model_failure reason, uint64_t ns);

/* Adds `change`, 1 or -1, to the pending requests. */
void model_counts_pending(struct model_counts *counts, int change);

/* Adds the counters of `part` to `total`, which the calling thread writes. */
void model_counts_merge(struct model_counts *total,
                        const struct model_counts *part);
