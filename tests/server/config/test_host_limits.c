#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "server/config/host_limits.h"
#include "tests/unit.h"

static char root[] = "/tmp/flipd-cgroup-XXXXXX";

/* Writes a file below the root, and creates its folders. */
static void write_file(const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    for (char *c = path + sizeof(root); *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(path, 0700);
            *c = '/';
        }
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void make_root(void)
{
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void remove_root(void)
{
    char command[PATH_MAX];

    snprintf(command, sizeof(command), "rm -r '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

UNIT_TEST(host_limits_are_positive_and_count_the_cores_of_the_process)
{
    cpu_set_t all, one;
    int cpu = sched_getcpu();

    ck_assert_int_ge(host_limits_cores(), 1);
    ck_assert_int_gt(host_limits_memory(), 1 << 20);
    ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
    ck_assert_int_eq(host_limits_cores(), 1);
    ck_assert_int_eq(sched_setaffinity(0, sizeof(all), &all), 0);
}

static void is(enum host_quota which, const char *membership, int64_t quota)
{
    ck_assert_int_eq(host_limits_quota(which, root, membership), quota);
}

UNIT_TEST(host_limits_without_a_quota_are_unlimited)
{
    is(HOST_CORES, "0::/a\n", INT64_MAX);
    is(HOST_MEMORY, "", INT64_MAX);
    write_file("a/cpu.max", "max 100000\n");
    write_file("a/memory.max", "max\n");
    write_file("a/pids.max", "max\n");
    is(HOST_CORES, "0::/a\n", INT64_MAX);
    is(HOST_MEMORY, "0::/a\n", INT64_MAX);
    is(HOST_THREADS, "0::/a\n", INT64_MAX);
}

UNIT_TEST(host_limits_round_a_quota_up_to_cores)
{
    static const struct {
        const char *text;
        int64_t cores;
    } quotas[] = {{"150000 100000\n", 2},
                  {"20000 100000\n", 1},
                  {"400000 100000\n", 4},
                  {"0 100000\n", 0},
                  {"100000 0\n", INT64_MAX}};

    for (int i = 0; i < COUNT(quotas); i++) {
        write_file("cpu.max", quotas[i].text);
        is(HOST_CORES, "0::/\n", quotas[i].cores);
    }
}

UNIT_TEST(host_limits_are_the_smallest_of_all_ancestors)
{
    write_file("a/b/memory.max", "3000\n");
    write_file("a/memory.max", "2000\n");
    is(HOST_MEMORY, "0::/a/b\n", 2000);
    write_file("a/b/memory.max", "1000\n");
    is(HOST_MEMORY, "0::/a/b\n", 1000);
    write_file("a/b/pids.max", "30\n");
    write_file("a/pids.max", "20\n");
    is(HOST_THREADS, "0::/a/b\n", 20);
    write_file("pids.max", "10\n");
    is(HOST_THREADS, "0::/a/b\n", 10);
}

/* A host may have controllers of both versions. */
UNIT_TEST(host_limits_are_the_smallest_of_both_versions)
{
    static const char membership[] = "3:pids:/p\n0::/a\n";

    write_file("a/pids.max", "20\n");
    write_file("pids/p/pids.max", "30\n");
    is(HOST_THREADS, membership, 20);
    write_file("pids/p/pids.max", "10\n");
    is(HOST_THREADS, membership, 10);
    write_file("pids.max", "5\n"); /* of version 2, above all of version 1 */
    is(HOST_THREADS, "3:pids:/p\n", 10);
}

UNIT_TEST(host_limits_find_a_v1_controller_by_its_whole_name)
{
    static const char membership[] =
        "5:cpuset:/other\n4:cpu,cpuacct:/a\n3:memory:/m\n2:pids:/p\n";

    write_file("cpu/a/cpu.cfs_quota_us", "300000\n");
    write_file("cpu/a/cpu.cfs_period_us", "100000\n");
    write_file("memory/m/memory.limit_in_bytes", "5000\n");
    write_file("pids/p/pids.max", "7\n");
    is(HOST_THREADS, membership, 7);
    is(HOST_CORES, membership, 3);
    is(HOST_MEMORY, membership, 5000);
    write_file("cpu/a/cpu.cfs_quota_us", "-1\n");
    is(HOST_CORES, membership, INT64_MAX);
}

FIXTURE(make_root, remove_root)
