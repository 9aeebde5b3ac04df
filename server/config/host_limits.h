/* The processors and the memory that this process may use, and the memory that
 * it does use. Any thread. */
#pragma once

#include <stdint.h>

/* Number of cores: the smaller of the scheduler's affinity mask and the
 * cgroup's CPU quota, which is rounded up. At least 1. */
int64_t host_limits_cores(void);

/* Bytes of memory: the smallest of the host's memory, the cgroup's limit and
 * that of the address space (ulimit -v). */
int64_t host_limits_memory(void);

/* Bytes of memory that are resident now; -1 without /proc. */
int64_t host_limits_resident(void);

/* The same of the address space alone; INT64_MAX: no limit. */
int64_t host_limits_address_space(void);

/* Threads that may run: the smaller of the limit of the user's processes
 * (ulimit -u), which does not hold for root, and the cgroup's. Threads of
 * others count too. INT64_MAX: no limit. */
int64_t host_limits_threads(void);

/* A limit of the cgroup alone: the CPU quota in cores, rounded up, the memory
 * in bytes, or threads; INT64_MAX: none. `root` is the folder of cgroup files
 * (/sys/fs/cgroup), `membership` the text of /proc/self/cgroup. */
enum host_quota { HOST_CORES, HOST_MEMORY, HOST_THREADS };

int64_t host_limits_quota(enum host_quota which, const char *root,
                          const char *membership);
