/* Figures of this process from the kernel, for /metrics. Any thread. A value
 * that could not be read is negative. */
#pragma once

#include <stdint.h>

struct process_stats {
    int64_t resident_bytes;
    int64_t open_fds;
    double cpu_seconds;
    double start_seconds; /* unix time */
};

void process_stats_read(struct process_stats *stats);
