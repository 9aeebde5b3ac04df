#include "server/metrics/histogram.h"

/* A tiny request takes some 10 µs, 256 MiB some 100 ms; a request that takes
 * more than 10 s has a slow client. */
const uint64_t histogram_bounds_us[HISTOGRAM_BUCKETS] = {
    25,    50,    100,   250,    500,    1000,    2500,    5000,
    10000, 25000, 50000, 100000, 250000, 1000000, 2500000, 10000000,
};

static int find_bucket(uint64_t ns)
{
    int i = 0;

    while (i < HISTOGRAM_BUCKETS && ns / 1000 > histogram_bounds_us[i])
        i++;
    return i;
}

void histogram_add(struct histogram *histogram, uint64_t ns)
{
    counter_add(&histogram->buckets[find_bucket(ns)], 1);
    counter_add(&histogram->sum_ns, ns);
}

void histogram_merge(struct histogram *total, const struct histogram *part)
{
    counter_merge(total->buckets, part->buckets, HISTOGRAM_BUCKETS + 1);
    counter_merge(&total->sum_ns, &part->sum_ns, 1);
}
