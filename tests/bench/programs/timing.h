/* Times of the programs that measure in process. */
#pragma once

#include <stdlib.h>
#include <time.h>

/* Seconds of processor time of this process: others on the machine disturb it
 * less than elapsed time. */
static inline double timing_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static inline int timing_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the times. */
static inline double timing_median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof(*times), timing_compare);
    return times[count / 2];
}
