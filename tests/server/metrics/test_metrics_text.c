#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/count.h"
#include "tests/server/metrics/rendered.h"
#include "tests/suite.h"

#define ID_A "4bf92f3577b34da6a3ce929d0e0e4736"
#define ID_B "0af7651916cd43dd8448eb211c80319c"

static void count_traced(struct metrics *metrics, const char *route,
                         uint64_t us, const char *trace_id)
{
    metrics_count_request(metrics, &(struct metrics_request){
                                       .route = route,
                                       .status = 200,
                                       .duration_us = us,
                                       .trace_id = trace_id,
                                   });
}

/* True if the line that starts so names this trace; NULL: none. */
static bool names_trace(const char *text, const char *start, const char *trace)
{
    const char *at = strstr(text, start);
    char line[200] = "";

    ck_assert_msg(at != NULL, "no %s in\n%s", start, text);
    memcpy(line, at, strcspn(at, "\n"));
    return trace ? strstr(line, trace) != NULL : strchr(line, '#') == NULL;
}

START_TEST(metrics_keep_the_latest_trace_of_a_bucket)
{
    static struct metrics a, b;
    struct metrics *const parts[] = {&a, &b};
    const struct metrics_gauges gauges = {.simd = {"a", "b"}};
    char *text;

    count_traced(&a, "/other", 90, NULL);
    count_traced(&a, "/i", 25, ID_A);
    count_traced(&a, "/i", 26, ID_A);
    count_traced(&a, "/i", 27, ID_B "-00f067aa0ba902b7-01");
    count_traced(&a, "/i", 28, NULL);
    count_traced(&b, "/i", 20000000, ID_A);
    count_traced(&b, "/other", 60, ID_B);
    rendered_openmetrics = true;
    text = rendered(parts, 2, &gauges);
    ck_assert(names_trace(text, "{route=\"/i\",le=\"2.5e-05\"} 1",
                          " # {trace_id=\"" ID_A "\"} 2.5e-05 "));
    ck_assert(names_trace(text, "{route=\"/i\",le=\"5e-05\"} 4",
                          " # {trace_id=\"" ID_B "\"} 2.7e-05 "));
    ck_assert(names_trace(text, "{route=\"/i\",le=\"0.0001\"} 4", NULL));
    ck_assert(names_trace(text, "{route=\"/i\",le=\"+Inf\"} 5",
                          " # {trace_id=\"" ID_A "\"} 20 "));
    ck_assert(names_trace(text, "{route=\"/other\",le=\"0.0001\"} 2", NULL));
    free(text);
    rendered_openmetrics = false;
    text = rendered(parts, 2, &gauges);
    ck_assert_ptr_null(strstr(text, "trace_id"));
    free(text);
}
END_TEST

START_TEST(metrics_in_openmetrics_follow_its_rules)
{
    static struct metrics a;
    char *text;

    count_traced(&a, "/x", 25, NULL);
    rendered_openmetrics = true;
    text = rendered_one(&a);
    rendered_openmetrics = false;
    rendered_has(text, "\n# TYPE flipd_http_requests counter\n"
                       "flipd_http_requests_total{route=\"/x\"");
    rendered_has(text, "\n# TYPE nv_inference_count unknown\n");
    rendered_has(text, "\n# TYPE flipd_build_info gauge\n");
    ck_assert_ptr_null(strstr(text, "_total counter"));
    ck_assert_str_eq(text + strlen(text) - 6, "# EOF\n");
    free(text);
    text = rendered_one(&a);
    rendered_has(text, "\n# TYPE flipd_http_requests_total counter\n");
    rendered_has(text, "\n# TYPE nv_inference_count counter\n");
    ck_assert_ptr_null(strstr(text, "EOF"));
    free(text);
}
END_TEST

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
    static const struct metrics_reload reloads[] = {
        {"models", &models}, {"tls", &never}, {NULL, NULL}};
    char *text;

    before = (long long)time(NULL);
    reload_note(&models, true);
    ck_assert(atomic_load(&models.success_at) >= before);
    atomic_store(&models.success_at, 1700000000);
    reload_note(&models, false); /* changes nothing that is in use */
    text = rendered((struct metrics *const[]){&a}, 1,
                    &(struct metrics_gauges){.simd = {"a", "b"},
                                             .options = &options,
                                             .reloads = reloads,
                                             .certificate_expiry = 1800000000});
    rendered_has(text, "\nflipd_limit{option=\"max-connections\"} 7\n"
                       "flipd_limit{option=\"max-connections-per-address\"} "
                       "+Inf\n"
                       "flipd_limit{option=\"max-queue-size\"} 8\n");
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

    text = rendered(
        (struct metrics *const[]){&a}, 1,
        &(struct metrics_gauges){.simd = {"a", "b"}, .options = &options});
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
    char *text =
        rendered((struct metrics *const[]){&a}, 1,
                 &(struct metrics_gauges){.simd = {"a", "b"},
                                          .connections = 11,
                                          .inflight_bytes = 12,
                                          .log_dropped = 13,
                                          .log_held_back = 14,
                                          .queue_depth = {15, 16, 17},
                                          .workers = {18, 19, 20},
                                          .workers_busy = {21, 22, 23}});

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
    free(text);
}
END_TEST

START_TEST(exemplars_merge_to_the_latest)
{
    static struct exemplar none, total, part;
    struct exemplar_value value = {ID_A, 1, 1000}, read;

    ck_assert(!exemplar_read(&none, &read));
    exemplar_write(&part, &value);
    exemplar_merge(&total, &part);
    ck_assert(exemplar_read(&total, &read));
    ck_assert_str_eq(read.trace_id, ID_A);
    ck_assert(read.ns == value.ns && read.when_ms == value.when_ms);
    exemplar_write(&part, &(struct exemplar_value){ID_B, 2, 999});
    exemplar_merge(&total, &part);
    exemplar_merge(&total, &none);
    ck_assert(exemplar_read(&total, &read));
    ck_assert_str_eq(read.trace_id, ID_A);
    exemplar_write(&part, &(struct exemplar_value){ID_B, 3, 1001});
    exemplar_merge(&total, &part);
    ck_assert(exemplar_read(&total, &read));
    ck_assert_str_eq(read.trace_id, ID_B);
    ck_assert_uint_eq(read.ns, 3);
    atomic_fetch_add(&total.version, 1); /* being written */
    ck_assert(!exemplar_read(&total, &read));
}
END_TEST

SUITE("metrics_text", TEST(metrics_keep_the_latest_trace_of_a_bucket),
      TEST(metrics_in_openmetrics_follow_its_rules),
      TEST(metrics_print_limits_reloads_and_the_certificate),
      TEST(metrics_print_what_has_no_limit),
      TEST(metrics_print_each_gauge_of_its_own),
      TEST(exemplars_merge_to_the_latest))
