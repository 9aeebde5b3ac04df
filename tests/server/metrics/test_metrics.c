#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/metrics/metrics_text.h"
#include "tests/suite.h"

static char *render(struct metrics *const parts[], int count,
                    const struct metrics_gauges *gauges)
{
    struct metrics *total = calloc(1, sizeof(*total));
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    for (int i = 0; i < count; i++)
        metrics_merge(total, parts[i]);
    metrics_text_print(out, total, gauges, api_models_builtin());
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_uint_eq(strlen(text), len);
    free(total);
    return text;
}

static char *render_one(struct metrics *metrics)
{
    return render(
        &metrics, 1,
        &(struct metrics_gauges){.started = 1234567890, .simd = {"a", "b"}});
}

static void expect(const char *text, const char *line)
{
    ck_assert_msg(strstr(text, line) != NULL, "no %s in\n%.3000s", line, text);
}

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
    struct metrics_gauges gauges = {3, 4, 5, 6, 7, {"x", "y"}};
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
    text = render((struct metrics *const[]){&a, &b}, 2, &gauges);
    expect(text, "\nflipd_http_requests_total{route=\"/x\",code=\"200\"} 2\n");
    expect(text, "\nflipd_http_requests_total{route=\"/y\",code=\"404\"} 2\n");
    expect(text,
           "\nflipd_http_requests_total{route=\"none\",code=\"other\"} 1\n");
    expect(text, "\nflipd_bytes_total{direction=\"received\"} 11\n");
    expect(text, "\nflipd_bytes_total{direction=\"sent\"} 22\n");
    expect(text, "\nflipd_rejected_total{reason=\"queue_full\"} 1\n");
    expect(text, "\nflipd_connections 3\n");
    expect(text, "\nflipd_inflight_bytes 4\n");
    expect(text, "\nflipd_queue_depth 5\n");
    expect(text, "\nflipd_log_dropped_total 6\n");
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
    text = render_one(&a);
    expect(text, "_bucket{route=\"/x\",le=\"2.5e-05\"} 1\n");
    expect(text, "_bucket{route=\"/x\",le=\"5e-05\"} 2\n");
    expect(text, "_bucket{route=\"/x\",le=\"10\"} 2\n");
    expect(text, "_bucket{route=\"/x\",le=\"+Inf\"} 3\n");
    expect(text, "flipd_http_request_seconds_sum{route=\"/x\"} 20.000051\n");
    expect(text, "flipd_http_request_seconds_count{route=\"/x\"} 3\n");
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
    } failures[] = {
        {503, "REJECTED"}, {504, "CANCELED"}, {500, "BACKEND"}, {400, "OTHER"}};

    metrics_count_request(
        &a, &(struct metrics_request){"/i", 200, 1, 0, 0, model, {0}});
    for (int i = 0; i < 4; i++)
        metrics_count_request(
            &a, &(struct metrics_request){
                    "/i", failures[i].status, 1, 0, 0, model, {0}});
    text = render_one(&a);
    snprintf(line, sizeof(line),
             "\nnv_inference_request_success{model=\"%s\",version=\"%s\"} 1\n",
             api_model_name(model), api_model_version(model));
    expect(text, line);
    for (int i = 0; i < 4; i++) {
        snprintf(line, sizeof(line), "version=\"%s\",reason=\"%s\"} 1\n",
                 api_model_version(model), failures[i].reason);
        expect(text, line);
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
    text = render_one(&a);
    expect(text, "nv_inference_exec_count{model=\"openvino.ReverseSequence\","
                 "version=\"1\"} 2\n");
    expect(text, "nv_inference_request_duration_us{"
                 "model=\"openvino.ReverseSequence\",version=\"1\"} 118\n");
    expect(text, "nv_inference_queue_duration_us{"
                 "model=\"openvino.ReverseSequence\",version=\"1\"} 6\n");
    expect(text, "nv_inference_compute_infer_duration_us{"
                 "model=\"openvino.ReverseSequence\",version=\"1\"} 96\n");
    expect(text, "nv_inference_pending_request_count{"
                 "model=\"openvino.ReverseSequence\",version=\"1\"} 2\n");
    expect(text, "flipd_request_seconds_bucket{model=\"openvino."
                 "ReverseSequence\",stage=\"compute_infer\",le=\"5e-05\"} 2");
    expect(text, "flipd_request_seconds_sum{model=\"openvino."
                 "ReverseSequence\",stage=\"queue\"} 0.000006\n");
    expect(text, "flipd_request_seconds_sum{model=\"openvino."
                 "ReverseSequence\",stage=\"compute_infer\"} 0.000096\n");
    expect(text, "flipd_request_seconds_count{model=\"openvino."
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
    text = render_one(&a);
    expect(text, "flipd_http_requests_total{route=\"/0\",code=\"200\"} 1\n");
    snprintf(line, sizeof(line),
             "flipd_http_requests_total{route=\"other\",code=\"200\"} %d\n",
             METRICS_ROUTES + 1);
    expect(text, line);
    free(text);
}
END_TEST

START_TEST(metrics_include_the_process)
{
    static struct metrics a;
    char *text = render_one(&a);

    expect(text, "\nprocess_resident_memory_bytes ");
    expect(text, "\nprocess_cpu_seconds_total ");
    expect(text, "\nprocess_open_fds ");
    expect(text, "\nprocess_start_time_seconds 1234567890\n");
    expect(text, "\nflipd_simd_info{movers=\"a\",json=\"b\"} 1\n");
    expect(text, "\nflipd_build_info{version=\"" FLIPD_VERSION "\"} 1\n");
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

    text = render_one(&a);
    snprintf(line, sizeof(line), "\nprocess_open_fds %d\n", count_open_files());
    expect(text, line);
    free(text);
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
      TEST(metrics_include_the_process), TEST(metrics_count_open_files_exactly),
      TEST(metrics_time_failures_in_nanoseconds))
