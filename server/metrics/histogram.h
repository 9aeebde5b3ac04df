/* Histograms of durations, all with the same buckets. */
#pragma once

#include "server/metrics/counter.h"

enum { HISTOGRAM_BUCKETS = 16 };

/* Upper bounds in µs, ascending; a bucket includes its bound. */
extern const uint64_t histogram_bounds_us[HISTOGRAM_BUCKETS];

struct histogram {
    atomic_ullong buckets[HISTOGRAM_BUCKETS + 1]; /* the last has no bound */
    atomic_ullong sum_ns;
};

/* Counts a duration. The writing thread only. */
void histogram_add(struct histogram *histogram, uint64_t ns);

/* Adds the counters of `part` to `total`, which the calling thread writes. */
void histogram_merge(struct histogram *total, const struct histogram *part);
