/* GET /metrics. */
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/core/isa.h"
#include "tests/heap_watch.h"
#include "tests/server/routes/route_case.h"
#include "tests/unit.h"

static void count(struct metrics *metrics, const char *route, int status,
                  uint64_t us)
{
    struct metrics_request request = {
        .route = route, .status = status, .duration_us = us};

    metrics_count_request(metrics, &request);
}

static const char *text; /* of the last reply */

static void ask(void)
{
    text = route_case_get("/metrics");
}

/* The reply has this line, in which ' stands for a quotation mark. */
static void __attribute__((format(printf, 1, 2))) has(const char *format, ...)
{
    char line[300] = "\n";
    va_list values;

    va_start(values, format);
    vsnprintf(line + 1, sizeof(line) - 2, format, values);
    va_end(values);
    for (char *at = line; (at = strchr(at, '\''));)
        *at = '"';
    strcat(line, "\n");
    ck_assert_msg(strstr(text, line) != NULL, "no%sin\n%.3000s", line, text);
}

UNIT_TEST(metrics_sum_parts_by_route_label)
{
    struct metrics *a = &route_case.parts[0], *b = &route_case.parts[1];

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
    ask();
    has("flipd_http_requests_total{route='/x',code='200'} 2");
    has("flipd_http_requests_total{route='/y',code='404'} 2");
    has("flipd_http_requests_total{route='none',code='other'} 1");
    has("flipd_bytes_total{direction='received'} 11");
    has("flipd_bytes_total{direction='sent'} 22");
    has("flipd_rejected_total{reason='queue_full'} 1");
}

#define SECONDS "flipd_http_request_duration_seconds"

UNIT_TEST(metrics_histogram_is_cumulative)
{
    struct metrics *a = &route_case.parts[0];

    count(a, "/x", 200, 25);
    count(a, "/x", 200, 26);
    count(a, "/x", 200, 20000000);
    ask();
    has(SECONDS "_bucket{route='/x',le='2.5e-05'} 1");
    has(SECONDS "_bucket{route='/x',le='5e-05'} 2");
    has(SECONDS "_bucket{route='/x',le='1.0'} 2");
    has(SECONDS "_bucket{route='/x',le='10.0'} 2");
    has(SECONDS "_bucket{route='/x',le='+Inf'} 3");
    has(SECONDS "_sum{route='/x'} 20.000051");
    has(SECONDS "_count{route='/x'} 3");
}

/* Each failure counts for one reason, and the success for none. */
UNIT_TEST(metrics_count_inference_by_model)
{
    static const int statuses[] = {503, 413, 504, METRICS_CLIENT_GONE, 500, 400,
                                   404, 501, 200};
    const struct model *model = api_models_at(api_models_builtin(), 0);
    char labels[100];

    for (size_t i = 0; i < COUNT(statuses); i++)
        metrics_count_request(&route_case.parts[0],
                              &(struct metrics_request){.route = "/i",
                                                        .status = statuses[i],
                                                        .duration_us = 1,
                                                        .model = model});
    snprintf(labels, sizeof(labels), "model='%s',version='%s'",
             api_model_name(model), api_model_version(model));
    ask();
    has("nv_inference_request_success{%s} 1", labels);
    has("nv_inference_request_failure{%s,reason='REJECTED'} 2", labels);
    has("nv_inference_request_failure{%s,reason='CANCELED'} 2", labels);
    has("nv_inference_request_failure{%s,reason='BACKEND'} 1", labels);
    has("nv_inference_request_failure{%s,reason='OTHER'} 3", labels);
}

#define MODEL "{model='openvino.ReverseSequence',version='1'}"
#define STAGE "{model='openvino.ReverseSequence',stage="

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

    metrics_count_request(a, &request);
    metrics_count_request(a, &request);
    model_counts_pending(&a->models[api_model_slot(model)], 3);
    model_counts_pending(&a->models[api_model_slot(model)], -1);
    ask();
    has("nv_inference_exec_count" MODEL " 2");
    has("nv_inference_request_duration_us" MODEL " 118");
    has("nv_inference_queue_duration_us" MODEL " 6");
    has("nv_inference_compute_input_duration_us" MODEL " 14");
    has("nv_inference_compute_infer_duration_us" MODEL " 96");
    has("nv_inference_compute_output_duration_us" MODEL " 2");
    has("nv_inference_pending_request_count" MODEL " 2");
    has("flipd_infer_stage_duration_seconds_bucket" STAGE
        "'move',le='5e-05'} 2");
    has("flipd_infer_stage_duration_seconds_sum" STAGE "'queue'} 0.000006");
    has("flipd_infer_stage_duration_seconds_sum" STAGE "'read'} 0.000014");
    has("flipd_infer_stage_duration_seconds_sum" STAGE "'move'} 0.000096");
    has("flipd_infer_stage_duration_seconds_sum" STAGE "'write'} 0.000002");
    has("flipd_infer_stage_duration_seconds_count" STAGE "'queue'} 2");
}

UNIT_TEST(metrics_past_the_last_row_are_other)
{
    static char labels[2 * METRICS_ROUTES][16];

    for (int i = 0; i < 2 * METRICS_ROUTES; i++) {
        snprintf(labels[i], sizeof(labels[i]), "/%d", i);
        count(&route_case.parts[0], labels[i], 200, 1);
    }
    ask();
    has("flipd_http_requests_total{route='/0',code='200'} 1");
    has("flipd_http_requests_total{route='other',code='200'} %d",
        METRICS_ROUTES + 1);
}

UNIT_TEST(metrics_print_every_reason_of_a_rejection)
{
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        for (int k = 0; k <= i; k++)
            metrics_count_rejection(&route_case.parts[0],
                                    (enum metrics_rejection)i);
    ask();
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        has("flipd_rejected_total{reason='%s'} %d", metrics_rejection_labels[i],
            i + 1);
}

UNIT_TEST(metrics_print_limits_reloads_and_the_certificate)
{
    struct reload *models = &route_case.context.models.reload;
    long long before = (long long)time(NULL);

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
    ask();
    has("flipd_limit{option='max-queue-size'} 8\n"
        "flipd_limit{option='max-connections'} 7\n"
        "flipd_limit{option='max-connections-per-address'} +Inf");
    ck_assert_ptr_null(strstr(text, "option=\"http-port\""));
    has("flipd_limit_bytes{option='http-max-input-size'} 1099511627776");
    has("flipd_limit_bytes{option='max-inflight-bytes-per-address'} 9");
    has("flipd_limit_seconds{option='body-timeout'} 60");
    has("flipd_limit_seconds{option='drain-delay'} 0");
    has("flipd_limit_seconds{option='max-queue-delay'} 1.25");
    has("flipd_last_reload_success_timestamp_seconds{what='models'} "
        "1700000000");
    has("flipd_last_reload_successful{what='models'} 0");
    ck_assert_ptr_null(strstr(text, "what=\"tls\""));
    atomic_store(&route_case.context.models.reload.success_at, 0);
    atomic_store(&route_case.context.tls_reload.success_at, 1700000001);
    ask();
    has("flipd_last_reload_success_timestamp_seconds{what='tls'} 1700000001");
    ck_assert_ptr_null(strstr(text, "what=\"models\""));
    has("flipd_tls_certificate_expiry_timestamp_seconds 1800000000");
}

static size_t count_lines(const char *begin)
{
    const char *at = text;
    size_t lines = 0;

    for (; (at = strstr(at, begin)); at++)
        lines++;
    return lines;
}

/* Of those options 0 means that there is no limit. */
UNIT_TEST(metrics_print_what_has_no_limit)
{
    ask();
    has("flipd_limit_bytes{option='grpc-max-message'} +Inf");
    has("flipd_limit_bytes{option='max-inflight-bytes-per-address'} +Inf");
    has("flipd_limit_seconds{option='max-connection-age'} +Inf");
    has("flipd_limit_seconds{option='max-queue-delay'} +Inf");
    has("flipd_limit{option='max-connections-per-address'} +Inf");
    ck_assert_uint_eq(count_lines("} +Inf\n"), 5);
}

UNIT_TEST(metrics_print_each_gauge_of_its_own)
{
    struct job_context *context = &route_case.context;

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
    ask();
    has("flipd_connections 11");
    has("flipd_inflight_bytes 24");
    has("flipd_log_dropped_total 13");
    has("flipd_log_held_back_total 14");
    has("flipd_queue_depth 48");
    has("flipd_queue_lane_depth{lane='short'} 15\n"
        "flipd_queue_lane_depth{lane='medium'} 16\n"
        "flipd_queue_lane_depth{lane='long'} 17");
    has("flipd_workers{kind='short'} 1\n"
        "flipd_workers{kind='medium'} 19\n"
        "flipd_workers{kind='long'} 19");
    has("flipd_workers_busy{kind='short'} 21\n"
        "flipd_workers_busy{kind='medium'} 22\n"
        "flipd_workers_busy{kind='long'} 23");
    has("flipd_budget_bytes{use='leased'} 24\n"
        "flipd_budget_bytes{use='sockets'} 25\n"
        "flipd_budget_bytes{use='kept'} 26\n"
        "flipd_budget_bytes{use='limit'} 27");
    has("flipd_memory_bytes{term='base'} 31\n"
        "flipd_memory_bytes{term='connections'} 32\n"
        "flipd_memory_bytes{term='waiting'} 33\n"
        "flipd_memory_bytes{term='inflight'} 34\n"
        "flipd_memory_bytes{term='json'} 35\n"
        "flipd_memory_bytes{term='total'} 36\n"
        "flipd_memory_bytes{term='limit'} 37");
}

/* The value of a metric without labels. */
static double value_of(const char *name)
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
    int open = 0;

    for (int fd = 0; fd < 1024; fd++)
        open += fcntl(fd, F_GETFD) >= 0;
    ask();
    has("process_open_fds %d", open);
    has("process_start_time_seconds 1234567890");
    has("flipd_simd_info{movers='%s',json='%s'} 1", isa_name(isa_active()),
        isa_name(isa_active()));
    ck_assert_ptr_null(strstr(text, "certificate_expiry"));
    ck_assert_ptr_null(strstr(text, "stage_duration_seconds_bucket"));
    ck_assert_ptr_nonnull(strstr(
        text, "\nflipd_build_info{version=\"" FLIPD_VERSION "\",revision=\""));
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

    faked = &usage;
    ask();
    has("process_cpu_seconds_total 11.75");
    usage = (struct rusage){0};
    ask();
    has("process_cpu_seconds_total 0");
    usage.ru_utime.tv_sec = -1; /* it cannot be read */
    ask();
    ck_assert_ptr_null(strstr(text, "process_cpu_seconds_total"));
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
    double before, used, resident;

    ask(); /* the first reply takes memory that stays */
    before = seconds_used();
    resident = resident_bytes();
    ask();
    used = value_of("process_cpu_seconds_total");
    ck_assert_double_ge(used, before - 1e-5);
    ck_assert_double_le(used, seconds_used() + 1e-5);
    ck_assert_double_le(
        fabs(value_of("process_resident_memory_bytes") - resident),
        (double)(1 << 20) + resident / 4);
}

static struct {
    char name[64], type[16];
    bool seen;
} families[64];
static size_t family_count;

/* Those of docs/observability.md. */
static void read_families(void)
{
    FILE *page = fopen(FLIPD_TESTS_DIR "/../docs/observability.md", "r");
    char line[400];

    ck_assert_ptr_nonnull(page);
    while (fgets(line, sizeof(line), page) && family_count < COUNT(families))
        if (sscanf(line, "| `%63[a-z_]` | %15[a-z] |",
                   families[family_count].name,
                   families[family_count].type) == 2 &&
            strstr("counter gauge histogram", families[family_count].type))
            family_count++;
    fclose(page);
    ck_assert_uint_gt(family_count, 30);
}

/* The family that a HELP line begins. */
static size_t family_of(const char *line)
{
    char head[80];

    for (size_t i = 0; i < family_count; i++) {
        snprintf(head, sizeof(head), "# HELP %.63s ", families[i].name);
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
    char type[96], *copy, *line, *rest;
    size_t at = 0;

    read_families();
    count(&route_case.parts[0], "/x", 200, 1);
    route_case.context.certificate_expiry = 1800000000;
    copy = strdup(route_case_get("/metrics"));
    for (line = strtok_r(copy, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (is_sample(line, at) && families[at].seen)
            continue;
        at = family_of(line);
        ck_assert_msg(!families[at].seen, "%s stands twice", families[at].name);
        families[at].seen = true;
        line = strtok_r(NULL, "\n", &rest);
        snprintf(type, sizeof(type), "# TYPE %.63s %.15s", families[at].name,
                 families[at].type);
        ck_assert_pstr_eq(line, type);
    }
    for (size_t i = 0; i < family_count; i++)
        ck_assert_msg(families[i].seen, "%s is missing", families[i].name);
    free(copy);
}

/* Of routes, rejections, models, reasons and stages none is printed that is
 * none. */
UNIT_TEST(metrics_have_a_line_for_each_label_only)
{
    const size_t models = api_models_count(api_models_builtin());

    count(&route_case.parts[0], "/x", 404, 1);
    count(&route_case.parts[0], "/y", 200, 1);
    for (size_t i = 0; i < API_MODEL_SLOTS; i++)
        atomic_store(&route_case.parts[1].models[i].success, 1);
    ask();
    ck_assert_uint_eq(count_lines("\nflipd_http_requests_total{"), 2);
    ck_assert_uint_eq(count_lines("\n" SECONDS "_sum{"), 2);
    ck_assert_uint_eq(count_lines("\nflipd_rejected_total{"),
                      METRICS_REJECTIONS);
    ck_assert_uint_eq(count_lines("\nnv_inference_count{"), models);
    ck_assert_uint_eq(count_lines("\nnv_inference_request_failure{"),
                      models * MODEL_FAILURES);
    ck_assert_uint_eq(count_lines("\nflipd_infer_stage_duration_seconds_sum{"),
                      models * MODEL_STAGES);
}

/* One struct metrics is larger than all else that may be kept. */
UNIT_TEST(metrics_leave_nothing_behind)
{
    struct heap_watch watch = {.times = 2, .room = sizeof(struct metrics)};

    while (heap_goes_on(&watch))
        ask();
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

    has_no_memory = true;
    text = route_case_ask("/metrics", "", "GET", &status);
    ck_assert_int_eq(status, 503);
    ck_assert_str_eq(text,
                     "{\"error\":\"no memory for the metrics: try again\"}");
}

FIXTURE(route_case_open, NULL)
