/* What the kernel says about this process, for /metrics. Any thread. */
#pragma once

#include <stdint.h>

struct process_stats {
    int64_t resident_bytes; /* -1 where a value could not be read, as below */
    int64_t open_fds;
    double cpu_seconds;   /* negative */
    double start_seconds; /* since the epoch; negative */
};

void process_stats_read(struct process_stats *stats);
