#include "server/metrics/process_stats.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
    FILE *file = fopen("/proc/self/statm", "re");
    long total, resident = -1;

    if (!file)
        return -1;
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = -1;
    fclose(file);
    return resident < 0 ? -1 : resident * sysconf(_SC_PAGESIZE);
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
    while (boot < 0 && fgets(line, sizeof(line), file))
        if (sscanf(line, "btime %lld", &boot) != 1)
            boot = -1;
    fclose(file);
    return (double)boot;
}

/* Field 22 of /proc/self/stat: ticks after boot. The name in field 2 may
 * contain spaces and parentheses, so fields are counted from its last
 * parenthesis. */
static double start_seconds(void)
{
    FILE *file = fopen("/proc/self/stat", "re");
    double boot = boot_seconds();
    char text[1024] = "";
    char *name_end;
    unsigned long long ticks = 0;

    if (!file)
        return -1;
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    name_end = strrchr(text, ')');
    if (!name_end || boot < 0 ||
        sscanf(name_end + 1,
               " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
               "%*s %*s %*s %*s %llu",
               &ticks) != 1)
        return -1;
    return boot + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

void process_stats_read(struct process_stats *stats)
{
    stats->resident_bytes = read_resident();
    stats->open_fds = count_fds();
    stats->cpu_seconds = cpu_seconds();
    stats->start_seconds = start_seconds();
}
