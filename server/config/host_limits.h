/* What this process may use of the machine it runs on. Any thread. */
#pragma once

#include <stdint.h>

/* Cores: the scheduler's affinity mask and the cgroup's CPU quota, whichever
 * is less, rounded up; at least 1. */
int64_t host_limits_cores(void);

/* Bytes of memory: the machine's or the cgroup's limit, whichever is less. */
int64_t host_limits_memory(void);

/* The same from files below `root` ("/sys/fs/cgroup" on a real machine) and
 * /proc/self/cgroup's text, for tests: the quota in cores rounded up and the
 * memory limit, or INT64_MAX where there is none. */
int64_t host_limits_quota_cores(const char *root, const char *membership);
int64_t host_limits_quota_memory(const char *root, const char *membership);
