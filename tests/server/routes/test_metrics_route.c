/* GET /metrics. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/core/isa.h"
#include "tests/heap_in_use.h"
#include "tests/server/routes/route_case.h"
#include "tests/unit.h"

static void count(struct metrics *metrics, const char *route, int status,
                  uint64_t us)
{
    struct metrics_request request = {
        .route = route, .status = status, .duration_us = us};

    metrics_count_request(metrics, &request);
}

UNIT_TEST(metrics_sum_parts_by_route_label)
{
    struct metrics *a = &route_case.parts[0], *b = &route_case.parts[1];
    char *text;

    metrics_count_request(
        a, &(struct metrics_request){
               .route = "/x", .status = 200, .received = 10, .sent = 20});
    count(a, "/y", 404, 1);
    count(b, "/y", 404, 1);
    metrics_count_request(
        b, &(struct metrics_request){
               .route = "/x", .status = 200, .received = 1, .sent = 2});
    count(b, NULL, 999, 1);
    metrics_count_rejection(b, METRICS_QUEUE_FULL);
    text = route_case_metrics();
    route_case_has(
        text, "\nflipd_http_requests_total{route=\"/x\",code=\"200\"} 2\n");
    route_case_has(
        text, "\nflipd_http_requests_total{route=\"/y\",code=\"404\"} 2\n");
    route_case_has(
        text, "\nflipd_http_requests_total{route=\"none\",code=\"other\"} 1\n");
    route_case_has(text, "\nflipd_bytes_total{direction=\"received\"} 11\n");
    route_case_has(text, "\nflipd_bytes_total{direction=\"sent\"} 22\n");
    route_case_has(text, "\nflipd_rejected_total{reason=\"queue_full\"} 1\n");
    free(text);
}

UNIT_TEST(metrics_histogram_is_cumulative)
{
    struct metrics *a = &route_case.parts[0];
    char *text;

    count(a, "/x", 200, 25);
    count(a, "/x", 200, 26);
    count(a, "/x", 200, 20000000);
    text = route_case_metrics();
    route_case_has(text, "_bucket{route=\"/x\",le=\"2.5e-05\"} 1\n");
    route_case_has(text, "_bucket{route=\"/x\",le=\"5e-05\"} 2\n");
    route_case_has(text, "_bucket{route=\"/x\",le=\"1.0\"} 2\n");
    route_case_has(text, "_bucket{route=\"/x\",le=\"10.0\"} 2\n");
    route_case_has(text, "_bucket{route=\"/x\",le=\"+Inf\"} 3\n");
    route_case_has(
        text,
        "flipd_http_request_duration_seconds_sum{route=\"/x\"} 20.000051\n");
    route_case_has(
        text, "flipd_http_request_duration_seconds_count{route=\"/x\"} 3\n");
    free(text);
}

UNIT_TEST(metrics_count_inference_by_model)
{
    struct metrics *a = &route_case.parts[0];
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

    metrics_count_request(
        a, &(struct metrics_request){
               .route = "/i", .status = 200, .duration_us = 1, .model = model});
    for (size_t i = 0; i < COUNT(failures); i++)
        metrics_count_request(
            a, &(struct metrics_request){.route = "/i",
                                         .status = failures[i].status,
                                         .duration_us = 1,
                                         .model = model});
    text = route_case_metrics();
    snprintf(line, sizeof(line),
             "\nnv_inference_request_success{model=\"%s\",version=\"%s\"} 1\n",
             api_model_name(model), api_model_version(model));
    route_case_has(text, line);
    for (size_t i = 0; i < COUNT(reasons); i++) {
        snprintf(line, sizeof(line),
                 "\nnv_inference_request_failure{model=\"%s\","
                 "version=\"%s\",reason=\"%s\"} %d\n",
                 api_model_name(model), api_model_version(model),
                 reasons[i].name, reasons[i].count);
        route_case_has(text, line);
    }
    free(text);
}

UNIT_TEST(metrics_time_the_stages_of_a_model)
{
    struct metrics *a = &route_case.parts[0];
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

    metrics_count_request(a, &request);
    metrics_count_request(a, &request);
    model_counts_pending(&a->models[api_model_slot(model)], 3);
    model_counts_pending(&a->models[api_model_slot(model)], -1);
    text = route_case_metrics();
    route_case_has(text,
                   "nv_inference_exec_count{model=\"openvino.ReverseSequence\","
                   "version=\"1\"} 2\n");
    route_case_has(text,
                   "nv_inference_request_duration_us{"
                   "model=\"openvino.ReverseSequence\",version=\"1\"} 118\n");
    route_case_has(text,
                   "nv_inference_queue_duration_us{"
                   "model=\"openvino.ReverseSequence\",version=\"1\"} 6\n");
    route_case_has(text,
                   "nv_inference_compute_input_duration_us{"
                   "model=\"openvino.ReverseSequence\",version=\"1\"} 14\n");
    route_case_has(text,
                   "nv_inference_compute_infer_duration_us{"
                   "model=\"openvino.ReverseSequence\",version=\"1\"} 96\n");
    route_case_has(text,
                   "nv_inference_compute_output_duration_us{"
                   "model=\"openvino.ReverseSequence\",version=\"1\"} 2\n");
    route_case_has(text,
                   "nv_inference_pending_request_count{"
                   "model=\"openvino.ReverseSequence\",version=\"1\"} 2\n");
    route_case_has(text,
                   "flipd_infer_stage_duration_seconds_bucket{model=\"openvino."
                   "ReverseSequence\",stage=\"move\",le=\"5e-05\"} 2");
    route_case_has(text,
                   "flipd_infer_stage_duration_seconds_sum{model=\"openvino."
                   "ReverseSequence\",stage=\"queue\"} 0.000006\n");
    route_case_has(text,
                   "flipd_infer_stage_duration_seconds_sum{model=\"openvino."
                   "ReverseSequence\",stage=\"read\"} 0.000014\n");
    route_case_has(text,
                   "flipd_infer_stage_duration_seconds_sum{model=\"openvino."
                   "ReverseSequence\",stage=\"move\"} 0.000096\n");
    route_case_has(text,
                   "flipd_infer_stage_duration_seconds_sum{model=\"openvino."
                   "ReverseSequence\",stage=\"write\"} 0.000002\n");
    route_case_has(text,
                   "flipd_infer_stage_duration_seconds_count{model=\"openvino."
                   "ReverseSequence\",stage=\"queue\"} 2\n");
    free(text);
}

UNIT_TEST(metrics_past_the_last_row_are_other)
{
    struct metrics *a = &route_case.parts[0];
    static char labels[2 * METRICS_ROUTES][16];
    char line[80], *text;

    for (int i = 0; i < 2 * METRICS_ROUTES; i++) {
        snprintf(labels[i], sizeof(labels[i]), "/%d", i);
        count(a, labels[i], 200, 1);
    }
    text = route_case_metrics();
    route_case_has(text,
                   "flipd_http_requests_total{route=\"/0\",code=\"200\"} 1\n");
    snprintf(line, sizeof(line),
             "flipd_http_requests_total{route=\"other\",code=\"200\"} %d\n",
             METRICS_ROUTES + 1);
    route_case_has(text, line);
    free(text);
}

UNIT_TEST(metrics_print_every_reason_of_a_rejection)
{
    struct metrics *a = &route_case.parts[0];
    char line[80], *text;

    for (int i = 0; i < METRICS_REJECTIONS; i++)
        for (int k = 0; k <= i; k++)
            metrics_count_rejection(a, (enum metrics_rejection)i);
    text = route_case_metrics();
    for (int i = 0; i < METRICS_REJECTIONS; i++) {
        snprintf(line, sizeof(line),
                 "\nflipd_rejected_total{reason=\"%s\"} %d\n",
                 metrics_rejection_labels[i], i + 1);
        route_case_has(text, line);
    }
    free(text);
}

UNIT_TEST(metrics_print_limits_reloads_and_the_certificate)
{
    struct reload *models = &route_case.context.models.reload;
    long long before;
    char *text;

    before = (long long)time(NULL);
    reload_note(models, true);
    ck_assert(atomic_load(&models->success_at) >= before);
    atomic_store(&models->success_at, 1700000000);
    reload_note(models, false); /* changes nothing that is in use */
    route_case.options = (struct options){
        .max_connections = 7,
        .max_queue_size = 8,
        .max_queue_delay = 1250,
        .http_max_input_size = INT64_C(1) << 40,
        .max_inflight_bytes_per_address = 9,
        .body_timeout = 60,
    };
    route_case.context.certificate_expiry = 1800000000;
    text = route_case_metrics();
    route_case_has(text, "\nflipd_limit{option=\"max-queue-size\"} 8\n"
                         "flipd_limit{option=\"max-connections\"} 7\n"
                         "flipd_limit{option=\"max-connections-per-address\"} "
                         "+Inf\n");
    ck_assert_ptr_null(strstr(text, "option=\"http-port\""));
    route_case_has(text, "\nflipd_limit_bytes{option=\"http-max-input-size\"} "
                         "1099511627776\n");
    route_case_has(
        text,
        "\nflipd_limit_bytes{option=\"max-inflight-bytes-per-address\"} 9\n");
    route_case_has(text, "\nflipd_limit_seconds{option=\"body-timeout\"} 60\n");
    route_case_has(text, "\nflipd_limit_seconds{option=\"drain-delay\"} 0\n");
    route_case_has(text,
                   "\nflipd_limit_seconds{option=\"max-queue-delay\"} 1.25\n");
    route_case_has(text, "\nflipd_last_reload_success_timestamp_seconds"
                         "{what=\"models\"} 1700000000\n");
    route_case_has(text, "\nflipd_last_reload_successful{what=\"models\"} 0\n");
    ck_assert_ptr_null(strstr(text, "what=\"tls\""));
    route_case_has(text, "\nflipd_tls_certificate_expiry_timestamp_seconds "
                         "1800000000\n");
    free(text);
}

/* Of those options 0 means that there is no limit. */
UNIT_TEST(metrics_print_what_has_no_limit)
{
    static const char *const none[] = {
        "_bytes{option=\"grpc-max-message\"}",
        "_bytes{option=\"max-inflight-bytes-per-address\"}",
        "_seconds{option=\"max-connection-age\"}",
        "_seconds{option=\"max-queue-delay\"}",
        "{option=\"max-connections-per-address\"}",
    };
    char line[100], *text, *at;
    size_t count = 0;

    text = route_case_metrics();
    for (size_t i = 0; i < COUNT(none); i++) {
        snprintf(line, sizeof(line), "\nflipd_limit%s +Inf\n", none[i]);
        route_case_has(text, line);
    }
    for (at = text; (at = strstr(at, "} +Inf\n")); at++)
        count++;
    ck_assert_uint_eq(count, COUNT(none));
    free(text);
}

UNIT_TEST(metrics_print_each_gauge_of_its_own)
{
    struct job_context *context = &route_case.context;
    char *text;

    atomic_store(&route_case.connections, 11);
    atomic_store(&route_case.log.dropped, 13);
    atomic_store(&route_case.log.held_back, 14);
    route_case.options.worker_count = 19;
    for (size_t i = 0; i < LANES; i++) {
        route_case.workers.queue.lanes[i].count = 15 + i;
        route_case.workers.busy[i] = 21 + i;
    }
    atomic_store(&context->budget.leased, 49);
    atomic_store(&context->budget.sockets, 25);
    atomic_store(&context->budget.kept, 26);
    context->budget.limit = 27;
    context->memory = (struct memory_plan){.base = 31,
                                           .connections = 32,
                                           .waiting = 33,
                                           .inflight = 34,
                                           .json = 35,
                                           .total = 36,
                                           .limit = 37};
    text = route_case_metrics();
    route_case_has(text, "\nflipd_connections 11\n");
    route_case_has(text, "\nflipd_inflight_bytes 24\n");
    route_case_has(text, "\nflipd_log_dropped_total 13\n");
    route_case_has(text, "\nflipd_log_held_back_total 14\n");
    route_case_has(text, "\nflipd_queue_depth 48\n");
    route_case_has(text, "\nflipd_queue_lane_depth{lane=\"short\"} 15\n"
                         "flipd_queue_lane_depth{lane=\"medium\"} 16\n"
                         "flipd_queue_lane_depth{lane=\"long\"} 17\n");
    route_case_has(text, "\nflipd_workers{kind=\"short\"} 1\n"
                         "flipd_workers{kind=\"medium\"} 19\n"
                         "flipd_workers{kind=\"long\"} 19\n");
    route_case_has(text, "\nflipd_workers_busy{kind=\"short\"} 21\n"
                         "flipd_workers_busy{kind=\"medium\"} 22\n"
                         "flipd_workers_busy{kind=\"long\"} 23\n");
    route_case_has(text, "\nflipd_budget_bytes{use=\"leased\"} 24\n"
                         "flipd_budget_bytes{use=\"sockets\"} 25\n"
                         "flipd_budget_bytes{use=\"kept\"} 26\n"
                         "flipd_budget_bytes{use=\"limit\"} 27\n");
    route_case_has(text, "\nflipd_memory_bytes{term=\"base\"} 31\n"
                         "flipd_memory_bytes{term=\"connections\"} 32\n"
                         "flipd_memory_bytes{term=\"waiting\"} 33\n"
                         "flipd_memory_bytes{term=\"inflight\"} 34\n"
                         "flipd_memory_bytes{term=\"json\"} 35\n"
                         "flipd_memory_bytes{term=\"total\"} 36\n"
                         "flipd_memory_bytes{term=\"limit\"} 37\n");
    free(text);
}

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

UNIT_TEST(metrics_include_the_process)
{
    char info[80];
    char *text = route_case_metrics();

    route_case_has(text, "\nprocess_resident_memory_bytes ");
    route_case_has(text, "\nprocess_cpu_seconds_total ");
    route_case_has(text, "\nprocess_open_fds ");
    route_case_has(text, "\nprocess_start_time_seconds 1234567890\n");
    snprintf(info, sizeof(info),
             "\nflipd_simd_info{movers=\"%s\",json=\"%s\"} 1\n",
             isa_name(isa_active()), isa_name(isa_active()));
    route_case_has(text, info);
    ck_assert_ptr_null(strstr(text, "certificate_expiry"));
    ck_assert_ptr_null(strstr(text, "stage_duration_seconds_bucket"));
    route_case_has(text, "\nflipd_build_info{version=\"" FLIPD_VERSION
                         "\",revision=\"");
    free(text);
}

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

UNIT_TEST(metrics_count_open_files_exactly)
{
    char line[60], *text;

    text = route_case_metrics();
    snprintf(line, sizeof(line), "\nprocess_open_fds %d\n", count_open_files());
    route_case_has(text, line);
    free(text);
}

/* What getrusage() gives instead of the times of the process; NULL: nothing. */
static const struct rusage *faked;

int getrusage(__rusage_who_t who, struct rusage *usage)
{
    if (!faked)
        return (int)syscall(SYS_getrusage, who, usage);
    *usage = *faked;
    return usage->ru_utime.tv_sec < 0 ? -1 : 0;
}

UNIT_TEST(metrics_add_the_time_in_the_kernel)
{
    struct rusage usage = {.ru_utime = {7, 250000}, .ru_stime = {4, 500000}};
    char *text;

    faked = &usage;
    text = route_case_metrics();
    route_case_has(text, "\nprocess_cpu_seconds_total 11.75\n");
    free(text);
    usage = (struct rusage){0};
    text = route_case_metrics();
    route_case_has(text, "\nprocess_cpu_seconds_total 0\n");
    free(text);
    usage.ru_utime.tv_sec = -1; /* it cannot be read */
    text = route_case_metrics();
    ck_assert_ptr_null(strstr(text, "process_cpu_seconds_total"));
    free(text);
}

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
UNIT_TEST(metrics_read_the_times_and_memory_of_the_process)
{
    double before = seconds_used(), used, resident = resident_bytes();
    char *text = route_case_metrics();

    used = value_of(text, "process_cpu_seconds_total");
    ck_assert_double_ge(used, before - 1e-5);
    ck_assert_double_le(used, seconds_used() + 1e-5);
    ck_assert_double_le(
        fabs(value_of(text, "process_resident_memory_bytes") - resident),
        (double)(1 << 20) + resident / 4);
    free(text);
}

/* The table of docs/observability.md. */
static const struct {
    const char *name, *type;
} families[] = {
    {"flipd_http_requests_total", "counter"},
    {"flipd_http_request_duration_seconds", "histogram"},
    {"flipd_infer_stage_duration_seconds", "histogram"},
    {"flipd_bytes_total", "counter"},
    {"flipd_rejected_total", "counter"},
    {"flipd_connections", "gauge"},
    {"flipd_inflight_bytes", "gauge"},
    {"flipd_budget_bytes", "gauge"},
    {"flipd_memory_bytes", "gauge"},
    {"flipd_queue_depth", "gauge"},
    {"flipd_queue_lane_depth", "gauge"},
    {"flipd_workers", "gauge"},
    {"flipd_workers_busy", "gauge"},
    {"flipd_limit", "gauge"},
    {"flipd_limit_bytes", "gauge"},
    {"flipd_limit_seconds", "gauge"},
    {"flipd_last_reload_success_timestamp_seconds", "gauge"},
    {"flipd_last_reload_successful", "gauge"},
    {"flipd_tls_certificate_expiry_timestamp_seconds", "gauge"},
    {"flipd_log_dropped_total", "counter"},
    {"flipd_log_held_back_total", "counter"},
    {"flipd_build_info", "gauge"},
    {"flipd_simd_info", "gauge"},
    {"process_resident_memory_bytes", "gauge"},
    {"process_cpu_seconds_total", "counter"},
    {"process_open_fds", "gauge"},
    {"process_start_time_seconds", "gauge"},
    {"nv_inference_request_success", "counter"},
    {"nv_inference_request_failure", "counter"},
    {"nv_inference_count", "counter"},
    {"nv_inference_exec_count", "counter"},
    {"nv_inference_request_duration_us", "counter"},
    {"nv_inference_queue_duration_us", "counter"},
    {"nv_inference_compute_input_duration_us", "counter"},
    {"nv_inference_compute_infer_duration_us", "counter"},
    {"nv_inference_compute_output_duration_us", "counter"},
    {"nv_inference_pending_request_count", "gauge"},
};

/* The family that a HELP line begins. */
static size_t family_of(const char *line)
{
    char head[80];

    for (size_t i = 0; i < COUNT(families); i++) {
        snprintf(head, sizeof(head), "# HELP %s ", families[i].name);
        if (strncmp(line, head, strlen(head)) == 0 && line[strlen(head)])
            return i;
    }
    ck_abort_msg("no head of a family: %s", line);
    return 0;
}

static bool is_sample(const char *line, size_t family)
{
    size_t len = strlen(families[family].name);
    const char *end = line + len;

    if (strncmp(line, families[family].name, len) != 0)
        return false;
    if (strcmp(families[family].type, "histogram") != 0)
        return *end == '{' || *end == ' ';
    return strncmp(end, "_bucket{", 8) == 0 || strncmp(end, "_sum{", 5) == 0 ||
           strncmp(end, "_count{", 7) == 0;
}

/* Each family once: its HELP, its TYPE and all of its samples. */
UNIT_TEST(metrics_say_the_type_of_each_family_before_its_samples)
{
    bool seen[COUNT(families)] = {false};
    char type[80], *text, *line, *rest;
    size_t at = 0;

    count(&route_case.parts[0], "/x", 200, 1);
    route_case.context.certificate_expiry = 1800000000;
    text = route_case_metrics();
    for (line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (is_sample(line, at) && seen[at])
            continue;
        at = family_of(line);
        ck_assert_msg(!seen[at], "%s stands twice", families[at].name);
        seen[at] = true;
        line = strtok_r(NULL, "\n", &rest);
        snprintf(type, sizeof(type), "# TYPE %s %s", families[at].name,
                 families[at].type);
        ck_assert_pstr_eq(line, type);
    }
    for (size_t i = 0; i < COUNT(families); i++)
        ck_assert_msg(seen[i], "%s is missing", families[i].name);
    free(text);
}

static size_t count_lines(const char *text, const char *begin)
{
    size_t lines = 0;

    for (; (text = strstr(text, begin)); text++)
        lines++;
    return lines;
}

/* Of routes, rejections, models, reasons and stages none is printed that is
 * none. */
UNIT_TEST(metrics_have_a_line_for_each_label_only)
{
    const size_t models = api_models_count(api_models_builtin());
    char *text;

    count(&route_case.parts[0], "/x", 404, 1);
    count(&route_case.parts[0], "/y", 200, 1);
    for (size_t i = 0; i < API_MODEL_SLOTS; i++)
        atomic_store(&route_case.parts[1].models[i].success, 1);
    text = route_case_metrics();
    ck_assert_uint_eq(count_lines(text, "\nflipd_http_requests_total{"), 2);
    ck_assert_uint_eq(
        count_lines(text, "\nflipd_http_request_duration_seconds_sum{"), 2);
    ck_assert_uint_eq(count_lines(text, "\nflipd_rejected_total{"),
                      METRICS_REJECTIONS);
    ck_assert_uint_eq(count_lines(text, "\nnv_inference_count{"), models);
    ck_assert_uint_eq(count_lines(text, "\nnv_inference_request_failure{"),
                      models * MODEL_FAILURES);
    ck_assert_uint_eq(
        count_lines(text, "\nflipd_infer_stage_duration_seconds_sum{"),
        models * MODEL_STAGES);
    free(text);
}

/* One struct metrics is larger than all else that may be kept. */
UNIT_TEST(metrics_leave_nothing_behind)
{
    size_t before;

    free(route_case_metrics());
    before = heap_in_use();
    free(route_case_metrics());
    ck_assert_uint_lt(heap_in_use(), before + sizeof(struct metrics));
}

/* The linker's --wrap puts this between the server and libc. */
static bool has_no_memory;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return has_no_memory ? NULL : __real_calloc(count, size);
}

UNIT_TEST(metrics_without_memory_are_503)
{
    int status;
    char *text;

    has_no_memory = true;
    text = route_case_ask("/metrics", "", "GET", &status);
    ck_assert_int_eq(status, 503);
    ck_assert_str_eq(text,
                     "{\"error\":\"no memory for the metrics: try again\"}");
    free(text);
}

FIXTURE(route_case_open, NULL)
