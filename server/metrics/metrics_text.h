/* The text of GET /metrics. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "server/metrics/metrics.h"

/* Values that are read when the text is made, instead of counted. */
struct metrics_gauges {
    size_t connections, inflight_bytes, queue_depth;
    uint64_t log_dropped;
};

/* Returns Prometheus text with a row for each of `models`, to be freed by the
 * caller; NULL without memory. `len` is without the final NUL. */
char *metrics_text_render(const struct metrics *total,
                          const struct metrics_gauges *gauges,
                          const struct model_set *models, size_t *len);
