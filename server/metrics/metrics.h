/* The counters of /metrics.
 *
 * Each loop and the acceptor have a struct metrics of their own, which only
 * they write; a thread that renders adds all of them up. Because only one
 * thread writes, an increment is a plain load and a plain store: no locked
 * instruction. A reader sees each counter whole, though two counters that
 * belong together may be a moment apart. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "api/server_state.h"

static inline uint64_t counter_value(const atomic_ullong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Histograms of durations, all with the same buckets. */
enum { HISTOGRAM_BUCKETS = 16 };

/* Upper bounds in µs, ascending; a bucket includes its bound. */
extern const uint64_t histogram_bounds_us[HISTOGRAM_BUCKETS];

struct histogram {
    atomic_ullong buckets[HISTOGRAM_BUCKETS + 1]; /* the last has no bound */
    atomic_ullong sum_ns;
};

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

/* A stage's name: in flipd's own metrics, in the log and in Server-Timing. */
extern const char *const model_stage_names[MODEL_STAGES];

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

enum { MODEL_TIMES_SIZE = 160 };

/* Writes the value of the reply header Server-Timing, which browsers' developer
 * tools and the page read: the stages whose end the request has reached, in
 * milliseconds, "queue;dur=0.012, read;dur=3.456"; without any, "". */
void model_times_print(const struct model_times *times,
                       char text[MODEL_TIMES_SIZE]);

/* The counters of one model, and nothing else; times are nanoseconds of the
 * monotonic clock. */
struct model_counts {
    atomic_ullong success;
    atomic_ullong success_ns; /* sum over successes, from `whole` to `sent` */
    atomic_ullong last_ms;    /* end of the latest success, unix time */
    atomic_ullong failures[MODEL_FAILURES];
    atomic_ullong failure_ns; /* sum over failures, from headers to end */
    struct histogram stages[MODEL_STAGES]; /* of successes */
    atomic_ullong pending; /* requests queued for a worker or run by one */
};

/* Adds `change`, 1 or -1, to the pending requests. */
void model_counts_pending(struct model_counts *counts, int change);

/* Adds the counters of `part` to `total`, which the calling thread writes. */
void model_counts_merge(struct model_counts *total,
                        const struct model_counts *part);

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
    METRICS_FLOOD,      /* HTTP/2 frames without use, or resets */
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

/* The result of the last read of a file of the options, and the last success. A
 * file that cannot be used at the start stops it. One thread writes, any thread
 * reads. Zeroed: there is no such file. */

struct reload {
    atomic_llong success_at; /* unix time of the last success, in seconds; 0:
                              * none */
    atomic_bool ok; /* false: what was read at success_at is still used */
};

static inline void reload_note(struct reload *reload, bool ok)
{
    atomic_store(&reload->ok, ok);
    if (ok)
        atomic_store(&reload->success_at, (long long)time(NULL));
}
