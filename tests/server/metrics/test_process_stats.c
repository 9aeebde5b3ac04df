#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/server/metrics/rendered.h"
#include "tests/suite.h"

/* The value of a metric without labels. */
static double value_of(const char *text, const char *name)
{
    char line[80];
    const char *at;

    snprintf(line, sizeof(line), "\n%s ", name);
    at = strstr(text, line);
    ck_assert_ptr_nonnull(at);
    return strtod(at + strlen(line), NULL);
}

START_TEST(metrics_include_the_process)
{
    static struct metrics a;
    char *text = rendered_one(&a);

    rendered_has(text, "\nprocess_resident_memory_bytes ");
    rendered_has(text, "\nprocess_cpu_seconds_total ");
    rendered_has(text, "\nprocess_open_fds ");
    rendered_has(text, "\nprocess_start_time_seconds 1234567890\n");
    rendered_has(text, "\nflipd_simd_info{movers=\"a\",json=\"b\"} 1\n");
    rendered_has(text, "\nflipd_build_info{version=\"" FLIPD_VERSION
                       "\",revision=\"");
    free(text);
}
END_TEST

/* "." and ".." and the descriptor of the folder itself are not counted. */
static int count_open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = -3;

    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

START_TEST(metrics_count_open_files_exactly)
{
    static struct metrics a;
    char line[60], *text;

    text = rendered_one(&a);
    snprintf(line, sizeof(line), "\nprocess_open_fds %d\n", count_open_files());
    rendered_has(text, line);
    free(text);
}
END_TEST

static double seconds_used(void)
{
    struct rusage usage;

    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           (double)usage.ru_utime.tv_usec * 1e-6 +
           (double)usage.ru_stime.tv_usec * 1e-6;
}

static double resident_bytes(void)
{
    char line[200];
    FILE *file = fopen("/proc/self/status", "r");
    double kib = 0;

    while (kib == 0 && fgets(line, sizeof(line), file))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtod(line + 6, NULL);
    fclose(file);
    return kib * 1024;
}

/* The kernel's two counts of resident pages differ by some hundred KiB, and
 * sanitizers take and give back memory of their own in between. */
START_TEST(metrics_read_the_times_and_memory_of_the_process)
{
    static struct metrics a;
    double before = seconds_used(), used, resident = resident_bytes();
    char *text = rendered_one(&a);

    used = value_of(text, "process_cpu_seconds_total");
    ck_assert_double_ge(used, before - 1e-5);
    ck_assert_double_le(used, seconds_used() + 1e-5);
    ck_assert_double_le(
        fabs(value_of(text, "process_resident_memory_bytes") - resident),
        (double)(1 << 20) + resident / 4);
    free(text);
}
END_TEST

SUITE("process_stats", TEST(metrics_include_the_process),
      TEST(metrics_count_open_files_exactly),
      TEST(metrics_read_the_times_and_memory_of_the_process))
