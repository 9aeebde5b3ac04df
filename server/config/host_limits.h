/* The processors and the memory that this process may use. Any thread. */
#pragma once

#include <stdint.h>

/* Number of cores: the smaller of the scheduler's affinity mask and the
 * cgroup's CPU quota, which is rounded up. At least 1. */
int64_t host_limits_cores(void);

/* Bytes of memory: the smaller of the host's memory and the cgroup's limit. */
int64_t host_limits_memory(void);

/* The cgroup's limits alone, for tests: the CPU quota in cores, rounded up, and
 * the memory limit in bytes; INT64_MAX: none. `root` is the folder of cgroup
 * files (/sys/fs/cgroup), `membership` the text of /proc/self/cgroup. */
int64_t host_limits_quota_cores(const char *root, const char *membership);
int64_t host_limits_quota_memory(const char *root, const char *membership);
