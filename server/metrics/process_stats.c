#include <dirent.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/config/file_text.h"
#include "server/metrics/metrics_text.h"
#include "server/metrics/prometheus.h"

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

static double boot_seconds(void)
{
    FILE *file = fopen("/proc/stat", "re");
    char line[256];
    long long boot = -1;

    if (!file)
        return -1;
    while (fgets(line, sizeof(line), file) &&
           sscanf(line, "btime %lld", &boot) != 1)
        continue;
    fclose(file);
    return (double)boot;
}

/* Field 22 of /proc/self/stat: ticks after boot. The name in field 2 may
 * contain spaces and parentheses, so fields are counted from its last
 * parenthesis. */
static double start_seconds(void)
{
    double boot = boot_seconds();
    char text[1024];
    const char *name_end;
    unsigned long long ticks;

    file_text_read("/proc/self/stat", text, sizeof(text));
    name_end = strrchr(text, ')');
    if (!name_end || boot < 0 ||
        sscanf(name_end + 1,
               " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
               "%*s %*s %*s %*s %llu",
               &ticks) != 1)
        return -1;
    return boot + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* A value that could not be read is negative, and left out. */
void process_stats_print(FILE *out)
{
    prometheus_value(out, "process_resident_memory_bytes", "gauge",
                     "Resident memory", (double)read_resident());
    prometheus_value(out, "process_cpu_seconds_total", "counter",
                     "CPU time used", cpu_seconds());
    prometheus_value(out, "process_open_fds", "gauge", "Open file descriptors",
                     (double)count_fds());
    prometheus_value(out, "process_start_time_seconds", "gauge",
                     "Start, unix time", start_seconds());
}
