#include "tests/bench/programs/load.h"

#include <time.h>

uint64_t load_times_now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Values below 128 ns have a bucket each; from there on a power of two has
 * LOAD_TIMES_STEPS of them. */
static unsigned bucket_of(uint64_t ns)
{
    unsigned shift;

    if (ns < LOAD_TIMES_STEPS)
        return (unsigned)ns;
    shift = (unsigned)(63 - __builtin_clzll(ns)) - 7;
    return (shift + 1) * LOAD_TIMES_STEPS +
           (unsigned)((ns >> shift) - LOAD_TIMES_STEPS);
}

static double middle_of(unsigned bucket)
{
    unsigned step = bucket % LOAD_TIMES_STEPS;
    unsigned power = bucket / LOAD_TIMES_STEPS;

    if (power == 0)
        return (double)step;
    return ((double)(LOAD_TIMES_STEPS + step) + 0.5) *
           (double)(UINT64_C(1) << (power - 1));
}

void load_times_add(struct load_times *times, uint64_t ns)
{
    times->count++;
    times->buckets[bucket_of(ns)]++;
}

double load_times_us(const struct load_times *times, double share)
{
    double wanted = share * (double)times->count;
    uint64_t seen = 0;

    for (unsigned i = 0; i < LOAD_TIMES_BUCKETS; i++) {
        seen += times->buckets[i];
        if (seen > 0 && (double)seen >= wanted)
            return middle_of(i) / 1e3;
    }
    return 0;
}
