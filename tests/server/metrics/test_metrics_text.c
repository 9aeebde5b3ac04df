#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "kernels/core/isa.h"
#include "tests/count.h"
#include "tests/server/metrics/rendered.h"
#include "tests/suite.h"

START_TEST(metrics_print_limits_reloads_and_the_certificate)
{
    static struct metrics a;
    static const struct options options = {
        .max_connections = 7,
        .max_queue_size = 8,
        .max_queue_delay = 1250,
        .http_max_input_size = INT64_C(1) << 40,
        .max_inflight_bytes_per_address = 9,
        .body_timeout = 60,
    };
    static struct reload models, never;
    long long before;
    char *text;

    before = (long long)time(NULL);
    reload_note(&models, true);
    ck_assert(atomic_load(&models.success_at) >= before);
    atomic_store(&models.success_at, 1700000000);
    reload_note(&models, false); /* changes nothing that is in use */
    text = rendered((struct metrics *const[]){&a}, 1,
                    &(struct metrics_gauges){.options = &options,
                                             .reloads = {&models, &never},
                                             .certificate_expiry = 1800000000});
    rendered_has(text, "\nflipd_limit{option=\"max-queue-size\"} 8\n"
                       "flipd_limit{option=\"max-connections\"} 7\n"
                       "flipd_limit{option=\"max-connections-per-address\"} "
                       "+Inf\n");
    ck_assert_ptr_null(strstr(text, "option=\"http-port\""));
    rendered_has(text, "\nflipd_limit_bytes{option=\"http-max-input-size\"} "
                       "1099511627776\n");
    rendered_has(
        text,
        "\nflipd_limit_bytes{option=\"max-inflight-bytes-per-address\"} 9\n");
    rendered_has(text, "\nflipd_limit_seconds{option=\"body-timeout\"} 60\n");
    rendered_has(text, "\nflipd_limit_seconds{option=\"drain-delay\"} 0\n");
    rendered_has(text,
                 "\nflipd_limit_seconds{option=\"max-queue-delay\"} 1.25\n");
    rendered_has(text, "\nflipd_last_reload_success_timestamp_seconds"
                       "{what=\"models\"} 1700000000\n");
    rendered_has(text, "\nflipd_last_reload_successful{what=\"models\"} 0\n");
    ck_assert_ptr_null(strstr(text, "what=\"tls\""));
    rendered_has(text, "\nflipd_tls_certificate_expiry_timestamp_seconds "
                       "1800000000\n");
    free(text);
}
END_TEST

/* Of those options 0 means that there is no limit. */
START_TEST(metrics_print_what_has_no_limit)
{
    static const char *const none[] = {
        "_bytes{option=\"grpc-max-message\"}",
        "_bytes{option=\"max-inflight-bytes-per-address\"}",
        "_seconds{option=\"max-connection-age\"}",
        "_seconds{option=\"max-queue-delay\"}",
        "{option=\"max-connections-per-address\"}",
    };
    static const struct options options;
    static struct metrics a;
    char line[100], *text, *at;
    size_t count = 0;

    text = rendered((struct metrics *const[]){&a}, 1,
                    &(struct metrics_gauges){.options = &options});
    for (size_t i = 0; i < COUNT(none); i++) {
        snprintf(line, sizeof(line), "\nflipd_limit%s +Inf\n", none[i]);
        rendered_has(text, line);
    }
    for (at = text; (at = strstr(at, "} +Inf\n")); at++)
        count++;
    ck_assert_uint_eq(count, COUNT(none));
    free(text);
}
END_TEST

START_TEST(metrics_print_each_gauge_of_its_own)
{
    static struct metrics a;
    char *text = rendered(
        (struct metrics *const[]){&a}, 1,
        &(struct metrics_gauges){.connections = 11,
                                 .inflight_bytes = 12,
                                 .log_dropped = 13,
                                 .log_held_back = 14,
                                 .queue_depth = {15, 16, 17},
                                 .workers = {18, 19, 20},
                                 .workers_busy = {21, 22, 23},
                                 .budget = {24, 25, 26, 27},
                                 .memory = {31, 32, 33, 34, 35, 36, 37}});

    rendered_has(text, "\nflipd_connections 11\n");
    rendered_has(text, "\nflipd_inflight_bytes 12\n");
    rendered_has(text, "\nflipd_log_dropped_total 13\n");
    rendered_has(text, "\nflipd_log_held_back_total 14\n");
    rendered_has(text, "\nflipd_queue_depth 48\n");
    rendered_has(text, "\nflipd_queue_lane_depth{lane=\"short\"} 15\n"
                       "flipd_queue_lane_depth{lane=\"medium\"} 16\n"
                       "flipd_queue_lane_depth{lane=\"long\"} 17\n");
    rendered_has(text, "\nflipd_workers{kind=\"short\"} 18\n"
                       "flipd_workers{kind=\"medium\"} 19\n"
                       "flipd_workers{kind=\"long\"} 20\n");
    rendered_has(text, "\nflipd_workers_busy{kind=\"short\"} 21\n"
                       "flipd_workers_busy{kind=\"medium\"} 22\n"
                       "flipd_workers_busy{kind=\"long\"} 23\n");
    rendered_has(text, "\nflipd_budget_bytes{use=\"leased\"} 24\n"
                       "flipd_budget_bytes{use=\"sockets\"} 25\n"
                       "flipd_budget_bytes{use=\"kept\"} 26\n"
                       "flipd_budget_bytes{use=\"limit\"} 27\n");
    rendered_has(text, "\nflipd_memory_bytes{term=\"base\"} 31\n"
                       "flipd_memory_bytes{term=\"connections\"} 32\n"
                       "flipd_memory_bytes{term=\"waiting\"} 33\n"
                       "flipd_memory_bytes{term=\"inflight\"} 34\n"
                       "flipd_memory_bytes{term=\"json\"} 35\n"
                       "flipd_memory_bytes{term=\"total\"} 36\n"
                       "flipd_memory_bytes{term=\"limit\"} 37\n");
    free(text);
}
END_TEST

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
    char info[80];

    rendered_has(text, "\nprocess_resident_memory_bytes ");
    rendered_has(text, "\nprocess_cpu_seconds_total ");
    rendered_has(text, "\nprocess_open_fds ");
    rendered_has(text, "\nprocess_start_time_seconds 1234567890\n");
    snprintf(info, sizeof(info),
             "\nflipd_simd_info{movers=\"%s\",json=\"%s\"} 1\n",
             isa_name(isa_active()), isa_name(isa_active()));
    rendered_has(text, info);
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

SUITE("metrics_text", TEST(metrics_print_limits_reloads_and_the_certificate),
      TEST(metrics_print_what_has_no_limit),
      TEST(metrics_print_each_gauge_of_its_own),
      TEST(metrics_include_the_process), TEST(metrics_count_open_files_exactly),
      TEST(metrics_read_the_times_and_memory_of_the_process))
