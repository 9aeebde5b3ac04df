#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/metrics/metrics.h"
#include "tests/count.h"
#include "tests/server/metrics/rendered.h"
#include "tests/suite.h"

static void count(struct metrics *metrics, const char *route, int status,
                  uint64_t us)
{
    struct metrics_request request = {
        .route = route, .status = status, .duration_us = us};

    metrics_count_request(metrics, &request);
}

START_TEST(metrics_sum_parts_by_route_label)
{
    static struct metrics a, b;
    struct metrics_gauges gauges = {
        .connections = 3,
        .inflight_bytes = 4,
        .queue_depth = {5, 3, 1},
        .workers = {1, 8, 9},
        .workers_busy = {0, 2, 12},
        .log_dropped = 6,
        .log_held_back = 11,
        .memory = {8},
        .budget = {9, 0, 10},
    };
    char *text;

    metrics_count_request(
        &a, &(struct metrics_request){
                .route = "/x", .status = 200, .received = 10, .sent = 20});
    count(&a, "/y", 404, 1);
    count(&b, "/y", 404, 1);
    metrics_count_request(
        &b, &(struct metrics_request){
                .route = "/x", .status = 200, .received = 1, .sent = 2});
    count(&b, NULL, 999, 1);
    metrics_count_rejection(&b, METRICS_QUEUE_FULL);
    text = rendered((struct metrics *const[]){&a, &b}, 2, &gauges);
    rendered_has(text,
                 "\nflipd_http_requests_total{route=\"/x\",code=\"200\"} 2\n");
    rendered_has(text,
                 "\nflipd_http_requests_total{route=\"/y\",code=\"404\"} 2\n");
    rendered_has(
        text, "\nflipd_http_requests_total{route=\"none\",code=\"other\"} 1\n");
    rendered_has(text, "\nflipd_bytes_total{direction=\"received\"} 11\n");
    rendered_has(text, "\nflipd_bytes_total{direction=\"sent\"} 22\n");
    rendered_has(text, "\nflipd_rejected_total{reason=\"queue_full\"} 1\n");
    rendered_has(text, "\nflipd_connections 3\n");
    rendered_has(text, "\nflipd_inflight_bytes 4\n");
    rendered_has(text, "\nflipd_queue_depth 9\n");
    rendered_has(text, "\nflipd_queue_lane_depth{lane=\"short\"} 5\n"
                       "flipd_queue_lane_depth{lane=\"medium\"} 3\n"
                       "flipd_queue_lane_depth{lane=\"long\"} 1\n");
    rendered_has(text, "\nflipd_workers{kind=\"short\"} 1\n"
                       "flipd_workers{kind=\"medium\"} 8\n"
                       "flipd_workers{kind=\"long\"} 9\n");
    rendered_has(text, "\nflipd_workers_busy{kind=\"short\"} 0\n"
                       "flipd_workers_busy{kind=\"medium\"} 2\n"
                       "flipd_workers_busy{kind=\"long\"} 12\n");
    rendered_has(text, "\nflipd_log_dropped_total 6\n");
    rendered_has(text, "\nflipd_log_held_back_total 11\n");
    rendered_has(text, "\nflipd_memory_bytes{term=\"base\"} 8\n");
    rendered_has(text, "\nflipd_budget_bytes{use=\"leased\"} 9\n"
                       "flipd_budget_bytes{use=\"sockets\"} 0\n"
                       "flipd_budget_bytes{use=\"kept\"} 10\n");
    free(text);
}
END_TEST

START_TEST(metrics_histogram_is_cumulative)
{
    static struct metrics a;
    char *text;

    count(&a, "/x", 200, 25);
    count(&a, "/x", 200, 26);
    count(&a, "/x", 200, 20000000);
    text = rendered_one(&a);
    rendered_has(text, "_bucket{route=\"/x\",le=\"2.5e-05\"} 1\n");
    rendered_has(text, "_bucket{route=\"/x\",le=\"5e-05\"} 2\n");
    rendered_has(text, "_bucket{route=\"/x\",le=\"10.0\"} 2\n");
    rendered_has(text, "_bucket{route=\"/x\",le=\"+Inf\"} 3\n");
    rendered_has(
        text,
        "flipd_http_request_duration_seconds_sum{route=\"/x\"} 20.000051\n");
    rendered_has(text,
                 "flipd_http_request_duration_seconds_count{route=\"/x\"} 3\n");
    free(text);
}
END_TEST

START_TEST(metrics_count_inference_by_model)
{
    static struct metrics a;
    const struct model *model = api_models_at(api_models_builtin(), 0);
    char line[200], *text;
    static const struct {
        int status;
        const char *reason;
    } failures[] = {{503, "REJECTED"}, {413, "REJECTED"},
                    {504, "CANCELED"}, {METRICS_CLIENT_GONE, "CANCELED"},
                    {500, "BACKEND"},  {400, "OTHER"},
                    {404, "OTHER"},    {501, "OTHER"}};

    static const struct {
        const char *name;
        int count;
    } reasons[] = {
        {"REJECTED", 2}, {"CANCELED", 2}, {"BACKEND", 1}, {"OTHER", 3}};

    metrics_count_request(&a, &(struct metrics_request){.route = "/i",
                                                        .status = 200,
                                                        .duration_us = 1,
                                                        .model = model});
    for (size_t i = 0; i < COUNT(failures); i++)
        metrics_count_request(
            &a, &(struct metrics_request){.route = "/i",
                                          .status = failures[i].status,
                                          .duration_us = 1,
                                          .model = model});
    text = rendered_one(&a);
    snprintf(line, sizeof(line),
             "\nnv_inference_request_success{model=\"%s\",version=\"%s\"} 1\n",
             api_model_name(model), api_model_version(model));
    rendered_has(text, line);
    for (size_t i = 0; i < COUNT(reasons); i++) {
        snprintf(line, sizeof(line),
                 "\nnv_inference_request_failure{model=\"%s\","
                 "version=\"%s\",reason=\"%s\"} %d\n",
                 api_model_name(model), api_model_version(model),
                 reasons[i].name, reasons[i].count);
        rendered_has(text, line);
    }
    free(text);
}
END_TEST

START_TEST(metrics_time_the_stages_of_a_model)
{
    static struct metrics a;
    const struct model *model = api_models_at(api_models_builtin(), 1);
    struct metrics_request request = {
        .route = "/i",
        .status = 200,
        .duration_us = 100,
        .model = model,
        .times = {.arrived = 1000,
                  .whole = 2000,
                  .started = 5000,
                  .prepared = 12000,
                  .executed = 60000,
                  .sent = 61000},
    };
    char *text;

    metrics_count_request(&a, &request);
    metrics_count_request(&a, &request);
    model_counts_pending(&a.models[api_model_slot(model)], 3);
    model_counts_pending(&a.models[api_model_slot(model)], -1);
    text = rendered_one(&a);
    rendered_has(text,
                 "nv_inference_exec_count{model=\"openvino.ReverseSequence\","
                 "version=\"1\"} 2\n");
    rendered_has(text,
                 "nv_inference_request_duration_us{"
                 "model=\"openvino.ReverseSequence\",version=\"1\"} 118\n");
    rendered_has(text, "nv_inference_queue_duration_us{"
                       "model=\"openvino.ReverseSequence\",version=\"1\"} 6\n");
    rendered_has(text,
                 "nv_inference_compute_input_duration_us{"
                 "model=\"openvino.ReverseSequence\",version=\"1\"} 14\n");
    rendered_has(text,
                 "nv_inference_compute_infer_duration_us{"
                 "model=\"openvino.ReverseSequence\",version=\"1\"} 96\n");
    rendered_has(text, "nv_inference_compute_output_duration_us{"
                       "model=\"openvino.ReverseSequence\",version=\"1\"} 2\n");
    rendered_has(text, "nv_inference_pending_request_count{"
                       "model=\"openvino.ReverseSequence\",version=\"1\"} 2\n");
    rendered_has(text,
                 "flipd_infer_stage_duration_seconds_bucket{model=\"openvino."
                 "ReverseSequence\",stage=\"move\",le=\"5e-05\"} 2");
    rendered_has(text,
                 "flipd_infer_stage_duration_seconds_sum{model=\"openvino."
                 "ReverseSequence\",stage=\"queue\"} 0.000006\n");
    rendered_has(text,
                 "flipd_infer_stage_duration_seconds_sum{model=\"openvino."
                 "ReverseSequence\",stage=\"read\"} 0.000014\n");
    rendered_has(text,
                 "flipd_infer_stage_duration_seconds_sum{model=\"openvino."
                 "ReverseSequence\",stage=\"move\"} 0.000096\n");
    rendered_has(text,
                 "flipd_infer_stage_duration_seconds_sum{model=\"openvino."
                 "ReverseSequence\",stage=\"write\"} 0.000002\n");
    rendered_has(text,
                 "flipd_infer_stage_duration_seconds_count{model=\"openvino."
                 "ReverseSequence\",stage=\"queue\"} 2\n");
    free(text);
}
END_TEST

START_TEST(metrics_past_the_last_row_are_other)
{
    static struct metrics a;
    static char labels[2 * METRICS_ROUTES][16];
    char line[80], *text;

    for (int i = 0; i < 2 * METRICS_ROUTES; i++) {
        snprintf(labels[i], sizeof(labels[i]), "/%d", i);
        count(&a, labels[i], 200, 1);
    }
    text = rendered_one(&a);
    rendered_has(text,
                 "flipd_http_requests_total{route=\"/0\",code=\"200\"} 1\n");
    snprintf(line, sizeof(line),
             "flipd_http_requests_total{route=\"other\",code=\"200\"} %d\n",
             METRICS_ROUTES + 1);
    rendered_has(text, line);
    free(text);
}
END_TEST

START_TEST(metrics_print_every_reason_of_a_rejection)
{
    static struct metrics a;
    char line[80], *text;

    for (int i = 0; i < METRICS_REJECTIONS; i++)
        for (int k = 0; k <= i; k++)
            metrics_count_rejection(&a, (enum metrics_rejection)i);
    text = rendered_one(&a);
    for (int i = 0; i < METRICS_REJECTIONS; i++) {
        snprintf(line, sizeof(line),
                 "\nflipd_rejected_total{reason=\"%s\"} %d\n",
                 metrics_rejection_labels[i], i + 1);
        rendered_has(text, line);
    }
    free(text);
}
END_TEST

/* Makes counter i of `counts` i + 1; all members are counters. */
static void fill(struct model_counts *counts)
{
    atomic_ullong *all = (atomic_ullong *)counts;

    for (size_t i = 0; i < sizeof(*counts) / sizeof(*all); i++)
        atomic_store(&all[i], i + 1);
}

START_TEST(metrics_merge_every_counter_of_a_model)
{
    struct model_counts part, total = {0};
    const atomic_ullong *of_part = (const atomic_ullong *)&part;
    const atomic_ullong *of_total = (const atomic_ullong *)&total;

    fill(&part);
    model_counts_merge(&total, &part);
    ck_assert_mem_eq(&total, &part, sizeof(total));
    model_counts_merge(&total, &part);
    for (size_t i = 0; i < sizeof(part) / sizeof(*of_part); i++)
        if (&of_part[i] != &part.last_ms)
            ck_assert_uint_eq(of_total[i], 2 * of_part[i]);
    ck_assert_uint_eq(total.last_ms, part.last_ms);
    atomic_fetch_sub(&part.last_ms, 1);
    model_counts_merge(&total, &part);
    ck_assert_uint_eq(total.last_ms, part.last_ms + 1);
}
END_TEST

START_TEST(metrics_time_failures_in_nanoseconds)
{
    static struct metrics a;
    const struct model *model = api_models_at(api_models_builtin(), 1);

    metrics_count_request(&a, &(struct metrics_request){.status = 400,
                                                        .duration_us = 5,
                                                        .model = model});
    ck_assert_uint_eq(atomic_load(&a.models[api_model_slot(model)].failure_ns),
                      5000);
}
END_TEST

SUITE("metrics", TEST(metrics_sum_parts_by_route_label),
      TEST(metrics_histogram_is_cumulative),
      TEST(metrics_count_inference_by_model),
      TEST(metrics_time_the_stages_of_a_model),
      TEST(metrics_past_the_last_row_are_other),
      TEST(metrics_print_every_reason_of_a_rejection),
      TEST(metrics_merge_every_counter_of_a_model),
      TEST(metrics_time_failures_in_nanoseconds))
