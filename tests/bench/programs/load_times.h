/* Latencies of a load: a histogram whose buckets are 1/128 of a power of two
 * wide, so a percentile is off by at most 0.8 %. */
#pragma once

#include <stdint.h>

enum {
    LOAD_TIMES_STEPS = 128, /* buckets from a power of two to the next */
    LOAD_TIMES_BUCKETS = 57 * LOAD_TIMES_STEPS,
};

struct load_times {
    uint64_t count;
    uint64_t buckets[LOAD_TIMES_BUCKETS];
};

/* Monotonic. */
uint64_t load_times_now_ns(void);

void load_times_add(struct load_times *times, uint64_t ns);

/* The latency that `share` (0 to 1) of all were below, in microseconds; 0 when
 * there were none. */
double load_times_us(const struct load_times *times, double share);
