/* The text of GET /metrics. */
#pragma once

#include <stdio.h>

#include "api/api.h"
#include "server/metrics/metrics.h"

/* A figure in bytes, by its label. */
struct metrics_bytes {
    const char *label; /* NULL ends a list */
    uint64_t bytes;
};

/* Values that are read when the text is made, instead of counted. */
struct metrics_gauges {
    size_t connections, inflight_bytes;
    size_t queue_depth[3]; /* of the lanes: short, medium, long requests */
    uint64_t log_dropped, log_held_back;
    int64_t started; /* unix time of the start, in seconds */
    struct api_simd simd;
    const struct metrics_bytes *memory; /* terms of the plan; NULL: none */
    const struct metrics_bytes *budget; /* its uses; NULL: none */
};

/* Prints Prometheus text, with a row for each of `models`. */
void metrics_text_print(FILE *out, const struct metrics *total,
                        const struct metrics_gauges *gauges,
                        const struct model_set *models);

/* Its part about models: counters under the names that Triton's dashboards use,
 * and one histogram for each stage. */
void metrics_models_print(FILE *out, const struct metrics *total,
                          const struct model_set *models);

/* Its part about the process: figures from the kernel. */
void process_stats_print(FILE *out, const struct metrics_gauges *gauges);
