/* Buckets of durations, the same ones for every histogram. A histogram is an
 * array of HISTOGRAM_BUCKETS + 1 counters; the last has no upper bound. */
#pragma once

#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 16 };

/* Upper bounds in µs, ascending; a bucket includes its bound. */
extern const uint64_t histogram_bounds_us[HISTOGRAM_BUCKETS];

/* Index of the bucket that counts this duration. */
int histogram_bucket(uint64_t duration_us);
