#include <dirent.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/config/host_limits.h"
#include "server/metrics/metrics_text.h"

static int64_t count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int64_t count = -3; /* ".", ".." and the descriptor of `dir` */

    if (!dir)
        return -1;
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static double cpu_seconds(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return -1;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* A value that could not be read is negative, and left out. */
void process_stats_print(FILE *out, const struct metrics_gauges *gauges)
{
    prometheus_value(out, "process_resident_memory_bytes", "gauge",
                     "Resident memory", (double)host_limits_resident());
    prometheus_value(out, "process_cpu_seconds_total", "counter",
                     "CPU time used", cpu_seconds());
    prometheus_value(out, "process_open_fds", "gauge", "Open file descriptors",
                     (double)count_fds());
    prometheus_value(out, "process_start_time_seconds", "gauge",
                     "Start, unix time", (double)gauges->started);
}
