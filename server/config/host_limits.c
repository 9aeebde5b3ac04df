/* cgroup v2 has cpu.max ("QUOTA PERIOD" in µs, or "max PERIOD"), memory.max and
 * pids.max ("max": none), as v1 has; v1 has cpu.cfs_quota_us, cpu.cfs_period_us
 * (-1: none) and memory.limit_in_bytes (a huge number: none). Any ancestor of
 * the process's group may have a limit, so all are read. Inside a container the
 * root of the visible files is usually the process's own group, so the root is
 * read too. Source: the kernel's cgroup-v2.rst, cgroup-v1/. */
#include "server/config/host_limits.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/base/bounds.h"
#include "server/base/file_text.h"

/* Bytes of /proc/self/cgroup: a line for each of some 15 controllers, with a
 * path. */
enum { MEMBERSHIP_SIZE = 64 << 10 };

/* Finds the group of a v1 controller (v2: "") in the text of /proc/self/cgroup,
 * whose lines are "ID:CONTROLLERS:PATH". */
static bool find_group(const char *membership, const char *controller,
                       char *group, size_t size)
{
    char key[32], names[258] = ",";
    int at;

    snprintf(key, sizeof(key), ",%s,", controller);
    for (const char *line = membership; *line;) {
        at = 0;
        if (!*controller)
            sscanf(line, "%*d::%n", &at);
        else if (sscanf(line, "%*d:%255[^:\n]:%n", names + 1, &at) == 1)
            strcat(names, ",");
        if (at > 0 && (!*controller || strstr(names, key))) {
            snprintf(group, size, "%.*s", (int)strcspn(line + at, "\n"),
                     line + at);
            return true;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return false;
}

/* By enum host_quota. */
static const struct quota {
    const char *controller; /* of v1 */
    const char *v2, *v1;    /* the files */
} quotas[] = {
    [HOST_CORES] = {"cpu", "cpu.max", "cpu.cfs_quota_us"},
    [HOST_MEMORY] = {"memory", "memory.max", "memory.limit_in_bytes"},
    [HOST_THREADS] = {"pids", "pids.max", "pids.max"},
};

/* Reads one number of a group's file, or two; they stay where it has none. */
static void read_numbers(const char *dir, const char *file, long long *first,
                         long long *second)
{
    char path[PATH_MAX], text[64];

    snprintf(path, sizeof(path), "%.3000s/%s", dir, file);
    if (file_text_read(path, text, sizeof(text)) > 0)
        sscanf(text, "%lld %lld", first, second);
}

static int64_t limit_of_group(const struct quota *quota, const char *dir)
{
    long long limit = -1, period = 1, none;

    read_numbers(dir, quota->v2, &limit, &period);
    if (limit < 0) {
        read_numbers(dir, quota->v1, &limit, &period);
        if (quota == &quotas[HOST_CORES])
            read_numbers(dir, "cpu.cfs_period_us", &period, &none);
    }
    if (limit < 0 || period <= 0)
        return INT64_MAX;
    return limit / period + (limit % period != 0);
}

/* The smallest limit of the group and its ancestors up to `base`. */
static int64_t limit_of_ancestors(const struct quota *quota, const char *base,
                                  const char *group)
{
    char dir[PATH_MAX], *slash;
    size_t base_len = strlen(base);
    int64_t found = INT64_MAX;

    snprintf(dir, sizeof(dir), "%.1000s%.2000s", base, group);
    while (strlen(dir) >= base_len) {
        found = min_int64(found, limit_of_group(quota, dir));
        slash = strrchr(dir, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    return found;
}

int64_t host_limits_quota(enum host_quota which, const char *root,
                          const char *membership)
{
    const struct quota *quota = &quotas[which];
    char group[2048] = "", base[1024];
    int64_t found = INT64_MAX;

    if (find_group(membership, "", group, sizeof(group)))
        found = limit_of_ancestors(quota, root, group);
    snprintf(base, sizeof(base), "%.900s/%s", root, quota->controller);
    if (find_group(membership, quota->controller, group, sizeof(group)))
        found = min_int64(found, limit_of_ancestors(quota, base, group));
    return found;
}

static int64_t own_quota(enum host_quota quota)
{
    char membership[MEMBERSHIP_SIZE];

    file_text_read("/proc/self/cgroup", membership, sizeof(membership));
    return host_limits_quota(quota, "/sys/fs/cgroup", membership);
}

int64_t host_limits_cores(void)
{
    cpu_set_t set;
    int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        cores = CPU_COUNT(&set);
    cores = min_int64(cores, own_quota(HOST_CORES));
    return cores < 1 ? 1 : cores;
}

static int64_t own_limit(__rlimit_resource_t resource)
{
    struct rlimit limit;

    return getrlimit(resource, &limit) != 0 || limit.rlim_cur > INT64_MAX
               ? INT64_MAX
               : (int64_t)limit.rlim_cur;
}

int64_t host_limits_address_space(void)
{
    return own_limit(RLIMIT_AS);
}

int64_t host_limits_memory(void)
{
    int64_t host = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

    return min_int64(min_int64(host, host_limits_address_space()),
                     own_quota(HOST_MEMORY));
}

int64_t host_limits_resident(void)
{
    char text[128];
    long total, resident;

    file_text_read("/proc/self/statm", text, sizeof(text));
    if (sscanf(text, "%ld %ld", &total, &resident) != 2)
        return -1;
    return resident * sysconf(_SC_PAGESIZE);
}

int64_t host_limits_threads(void)
{
    int64_t user = getuid() == 0 ? INT64_MAX : own_limit(RLIMIT_NPROC);

    return min_int64(user, own_quota(HOST_THREADS));
}
