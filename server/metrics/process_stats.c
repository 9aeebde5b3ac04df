#include <dirent.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/config/file_text.h"
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

static int64_t read_resident(void)
{
    char text[128];
    long total, resident;

    file_text_read("/proc/self/statm", text, sizeof(text));
    if (sscanf(text, "%ld %ld", &total, &resident) != 2)
        return -1;
    return resident * sysconf(_SC_PAGESIZE);
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
void process_stats_print(const struct prometheus *text,
                         const struct metrics_gauges *gauges)
{
    prometheus_value(text, "process_resident_memory_bytes", "gauge",
                     "Resident memory", (double)read_resident());
    prometheus_value(text, "process_cpu_seconds_total", "counter",
                     "CPU time used", cpu_seconds());
    prometheus_value(text, "process_open_fds", "gauge", "Open file descriptors",
                     (double)count_fds());
    prometheus_value(text, "process_start_time_seconds", "gauge",
                     "Start, unix time", (double)gauges->started);
}
