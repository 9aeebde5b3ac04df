#include "server/metrics/metrics_text.h"

#include <dirent.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernels/core/isa.h"
#include "server/config/host_limits.h"

static void print_head(FILE *out, const char *name, const char *type,
                       const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A negative value could not be read: it is left out. */
static void print_value(FILE *out, const char *name, const char *type,
                        const char *help, double value)
{
    if (value < 0)
        return;
    print_head(out, name, type, help);
    fprintf(out, "%s %.15g\n", name, value);
}

/* All lines of one histogram. `labels` has no braces. A bound in seconds always
 * has a '.' or an exponent. */
static void print_histogram(FILE *out, const char *name, const char *labels,
                            const struct histogram *histogram)
{
    uint64_t count = 0;

    for (int i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        fprintf(out, "%s_bucket{%s,le=\"", name, labels);
        if (i == HISTOGRAM_BUCKETS)
            fputs("+Inf", out);
        else if (histogram_bounds_us[i] % 1000000 == 0)
            fprintf(out, "%" PRIu64 ".0", histogram_bounds_us[i] / 1000000);
        else
            fprintf(out, "%g", (double)histogram_bounds_us[i] / 1e6);
        count += counter_value(&histogram->buckets[i]);
        fprintf(out, "\"} %" PRIu64 "\n", count);
    }
    fprintf(out, "%s_sum{%s} %.6f\n", name, labels,
            (double)counter_value(&histogram->sum_ns) / 1e9);
    fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
}

static void print_requests(FILE *out, const struct metrics *total, int route)
{
    for (int i = 0; i < METRICS_CODES; i++) {
        uint64_t count = counter_value(&total->requests[route][i]);

        if (count == 0)
            continue;
        fprintf(out, "flipd_http_requests_total{route=\"%s\",code=\"",
                total->labels[route]);
        if (metrics_codes[i])
            fprintf(out, "%d", metrics_codes[i]);
        else
            fputs("other", out);
        fprintf(out, "\"} %" PRIu64 "\n", count);
    }
}

static void print_seconds(FILE *out, const struct metrics *total, int route)
{
    char labels[80];

    snprintf(labels, sizeof(labels), "route=\"%s\"", total->labels[route]);
    print_histogram(out, "flipd_http_request_duration_seconds", labels,
                    &total->seconds[route]);
}

static void print_routes(FILE *out, const struct metrics *total,
                         void (*print)(FILE *out, const struct metrics *total,
                                       int route))
{
    for (int i = 0; i < METRICS_ROUTES; i++)
        if (total->labels[i])
            print(out, total, i);
}

static void print_http(FILE *out, const struct metrics *total)
{
    print_head(out, "flipd_http_requests_total", "counter",
               "Requests by route and status");
    print_routes(out, total, print_requests);
    print_head(out, "flipd_http_request_duration_seconds", "histogram",
               "Time from the headers to the end of the reply, by route");
    print_routes(out, total, print_seconds);
    print_head(out, "flipd_bytes_total", "counter", "Bytes of bodies");
    fprintf(out,
            "flipd_bytes_total{direction=\"received\"} %" PRIu64
            "\nflipd_bytes_total{direction=\"sent\"} %" PRIu64 "\n",
            counter_value(&total->received), counter_value(&total->sent));
    print_head(out, "flipd_rejected_total", "counter",
               "Requests and connections refused by a limit");
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        fprintf(out, "flipd_rejected_total{reason=\"%s\"} %" PRIu64 "\n",
                metrics_rejection_labels[i],
                counter_value(&total->rejected[i]));
}

/* A metric of `count` whole numbers in struct metrics_gauges, each with a value
 * of the label `key`; without a key, their sum. */
struct gauge {
    const char *name, *type, *help;
    size_t offset, count;
    const char *key;
    const char *labels[METRICS_TERMS];
};

/* clang-format off */
#define ONE(member) offsetof(struct metrics_gauges, member), 1, NULL, {NULL}
#define SUM(member, count)                                                     \
    offsetof(struct metrics_gauges, member), count, NULL, {NULL}
#define EACH(member, count, key, ...)                                          \
    offsetof(struct metrics_gauges, member), count, key, {__VA_ARGS__}
#define LANES(member, key)                                                     \
    EACH(member, METRICS_LANES, key, "short", "medium", "long")
/* clang-format on */

static const struct gauge states[] = {
    {"flipd_connections", "gauge", "Open connections", ONE(connections)},
    {"flipd_inflight_bytes", "gauge", "Bytes reserved for bodies and replies",
     ONE(inflight_bytes)},
    {"flipd_budget_bytes", "gauge",
     "max-inflight-bytes: leased by requests, by the kernel for wide sockets, "
     "kept in free buffers",
     EACH(budget, METRICS_USES, "use", "leased", "sockets", "kept", "limit")},
    {"flipd_memory_bytes", "gauge",
     "Most that the daemon may take, by term; and its limit",
     EACH(memory, METRICS_TERMS, "term", "base", "connections", "waiting",
          "inflight", "json", "total", "limit")},
    {"flipd_queue_depth", "gauge", "Requests waiting for a worker",
     SUM(queue_depth, METRICS_LANES)},
    {"flipd_queue_lane_depth", "gauge",
     "The same by lane: the time that they will run",
     LANES(queue_depth, "lane")},
    {"flipd_workers", "gauge",
     "Worker threads, by the longest requests that they execute",
     LANES(workers, "kind")},
    {"flipd_workers_busy", "gauge", "Of them, those that execute a request now",
     LANES(workers_busy, "kind")},
    {"flipd_log_dropped_total", "counter",
     "Log lines dropped: the reader was too slow", ONE(log_dropped)},
    {"flipd_log_held_back_total", "counter",
     "Log lines held back: too many of a kind in a second", ONE(log_held_back)},
};

static void print_gauge(FILE *out, const struct metrics_gauges *gauges,
                        const struct gauge *gauge)
{
    const void *at = (const char *)gauges + gauge->offset;
    const size_t *numbers = at;
    size_t sum = 0;

    print_head(out, gauge->name, gauge->type, gauge->help);
    for (size_t i = 0; i < gauge->count; i++) {
        sum += numbers[i];
        if (gauge->key)
            fprintf(out, "%s{%s=\"%s\"} %zu\n", gauge->name, gauge->key,
                    gauge->labels[i], numbers[i]);
    }
    if (!gauge->key)
        fprintf(out, "%s %zu\n", gauge->name, sum);
}

/* The options that are limits, by their unit. */
static const struct limits {
    const char *name, *help;
    enum option_unit first, last;
} limits[] = {
    {"flipd_limit", "Limits that are numbers, by option; +Inf: no limit",
     OPTION_PLAIN, OPTION_PLAIN},
    {"flipd_limit_bytes", "Limits in bytes, by option; +Inf: no limit",
     OPTION_BYTES, OPTION_BYTES},
    {"flipd_limit_seconds", "Limits in seconds, by option; +Inf: no limit",
     OPTION_MILLISECONDS, OPTION_SECONDS},
};

/* A plain number is one in its group only: others are ports and threads. */
static bool is_limit(const struct option *option, const struct limits *of)
{
    return option->kind == OPTION_NUMBER && option->unit >= of->first &&
           option->unit <= of->last &&
           (option->unit != OPTION_PLAIN || option->group == OPTION_LIMITS);
}

static void print_limits(FILE *out, const struct options *options)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        print_head(out, limits[i].name, "gauge", limits[i].help);
        for (const struct option *o = option_table; o->name; o++) {
            const void *at = (const char *)options + o->offset;
            int64_t value;

            if (!is_limit(o, &limits[i]))
                continue;
            value = *(const int64_t *)at;
            fprintf(out, "%s{option=\"%s\"} ", limits[i].name, o->name);
            if (o->zero_is_none && value == 0)
                fputs("+Inf\n", out);
            else
                fprintf(out, "%.15g\n",
                        (double)value /
                            (o->unit == OPTION_MILLISECONDS ? 1000 : 1));
        }
    }
}

/* Of the files that there are. */
static void print_reloads(FILE *out, const struct metrics_gauges *gauges)
{
    static const char *const labels[METRICS_RELOADS] = {"models", "tls"};
    static const char at[] = "flipd_last_reload_success_timestamp_seconds";
    static const char ok[] = "flipd_last_reload_successful";
    long long when[METRICS_RELOADS];

    print_head(out, at, "gauge",
               "When files were read and could be used, unix time; without "
               "such files there is no line");
    for (int i = 0; i < METRICS_RELOADS; i++) {
        when[i] = atomic_load(&gauges->reloads[i]->success_at);
        if (when[i] != 0)
            fprintf(out, "%s{what=\"%s\"} %lld\n", at, labels[i], when[i]);
    }
    print_head(out, ok, "gauge",
               "1: they are in use; 0: those read before still are");
    for (int i = 0; i < METRICS_RELOADS; i++)
        if (when[i] != 0)
            fprintf(out, "%s{what=\"%s\"} %d\n", ok, labels[i],
                    atomic_load(&gauges->reloads[i]->ok));
}

static void print_gauges(FILE *out, const struct metrics_gauges *gauges)
{
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        print_gauge(out, gauges, &states[i]);
    if (gauges->options)
        print_limits(out, gauges->options);
    if (gauges->reloads[0])
        print_reloads(out, gauges);
    if (gauges->certificate_expiry)
        print_value(out, "flipd_tls_certificate_expiry_timestamp_seconds",
                    "gauge", "End of the loaded certificate, unix time",
                    (double)gauges->certificate_expiry);
    print_head(out, "flipd_build_info", "gauge", "Always 1");
    fprintf(out, "flipd_build_info{version=\"%s\",revision=\"%s\"} 1\n",
            FLIPD_VERSION, revision_text);
    print_head(out, "flipd_simd_info", "gauge",
               "Always 1; the instruction sets in use");
    fprintf(out, "flipd_simd_info{movers=\"%s\",json=\"%s\"} 1\n",
            isa_name(isa_active()), isa_name(isa_active()));
}

enum { LABELS_SIZE = API_MODEL_NAME_MAX + 80 };

/* A metric with one value for each model: a counter in struct model_counts. */
#define COUNTER(member) offsetof(struct model_counts, member), 1
#define TIME_US(member) offsetof(struct model_counts, member), 1000
static const struct model_metric {
    const char *name, *type, *help;
    size_t offset;
    unsigned divisor;
} model_metrics[] = {
    {"nv_inference_request_success", "counter",
     "Inference requests that succeeded", COUNTER(success)},
    {"nv_inference_count", "counter",
     "Inferences: one for each request, whatever its batch size",
     COUNTER(success)},
    {"nv_inference_exec_count", "counter", "Executions: one for each request",
     COUNTER(success)},
    {"nv_inference_request_duration_us", "counter",
     "Time from the whole body to the end of the reply, of successes",
     TIME_US(success_ns)},
    {"nv_inference_queue_duration_us", "counter", "Waiting for a worker",
     TIME_US(stages[MODEL_QUEUE].sum_ns)},
    {"nv_inference_compute_input_duration_us", "counter",
     "Reading and checking", TIME_US(stages[MODEL_INPUT].sum_ns)},
    {"nv_inference_compute_infer_duration_us", "counter", "Moving the data",
     TIME_US(stages[MODEL_INFER].sum_ns)},
    {"nv_inference_compute_output_duration_us", "counter",
     "Handing the reply to the connection",
     TIME_US(stages[MODEL_OUTPUT].sum_ns)},
    {"nv_inference_pending_request_count", "gauge",
     "Requests queued for a worker or executed by one", COUNTER(pending)},
};

static const struct model_counts *counts_of(const struct metrics *total,
                                            const struct model *model)
{
    return &total->models[api_model_slot(model)];
}

/* The failures of one model, by reason. */
static void print_failures(FILE *out, const struct metrics *total,
                           const struct model *model)
{
    for (int i = 0; i < MODEL_FAILURES; i++)
        fprintf(out,
                "nv_inference_request_failure{model=\"%s\",version=\"%s\","
                "reason=\"%s\"} %" PRIu64 "\n",
                api_model_name(model), api_model_version(model),
                model_failure_labels[i],
                counter_value(&counts_of(total, model)->failures[i]));
}

/* One histogram for each stage: seventy lines, left out for a model without
 * requests. */
static void print_stages(FILE *out, const struct metrics *total,
                         const struct model *model)
{
    const struct model_counts *counts = counts_of(total, model);
    char labels[LABELS_SIZE];

    for (int i = 0; counter_value(&counts->success) > 0 && i < MODEL_STAGES;
         i++) {
        snprintf(labels, sizeof(labels), "model=\"%s\",stage=\"%s\"",
                 api_model_name(model), model_stage_names[i]);
        print_histogram(out, "flipd_infer_stage_duration_seconds", labels,
                        &counts->stages[i]);
    }
}

/* Counters under the names that Triton's dashboards use, and the stages. */
static void print_models(FILE *out, const struct metrics *total,
                         const struct model_set *models)
{
    const size_t count = api_models_count(models);

    for (size_t i = 0; i < sizeof(model_metrics) / sizeof(model_metrics[0]);
         i++) {
        const struct model_metric *metric = &model_metrics[i];

        print_head(out, metric->name, metric->type, metric->help);
        for (size_t j = 0; j < count; j++) {
            const struct model *model = api_models_at(models, j);
            const void *counter =
                (const char *)counts_of(total, model) + metric->offset;

            fprintf(out, "%s{model=\"%s\",version=\"%s\"} %" PRIu64 "\n",
                    metric->name, api_model_name(model),
                    api_model_version(model),
                    counter_value(counter) / metric->divisor);
        }
    }
    print_head(out, "nv_inference_request_failure", "counter",
               "Inference requests that failed");
    for (size_t i = 0; i < count; i++)
        print_failures(out, total, api_models_at(models, i));
    print_head(out, "flipd_infer_stage_duration_seconds", "histogram",
               "Time of successful inferences, by model and stage");
    for (size_t i = 0; i < count; i++)
        print_stages(out, total, api_models_at(models, i));
}

static int64_t count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int64_t count = -3; /* ".", ".." and the descriptor of `dir` */

    if (!dir)
        return -1;
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static double cpu_seconds(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return -1;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void print_process(FILE *out, const struct metrics_gauges *gauges)
{
    print_value(out, "process_resident_memory_bytes", "gauge",
                "Resident memory", (double)host_limits_resident());
    print_value(out, "process_cpu_seconds_total", "counter", "CPU time used",
                cpu_seconds());
    print_value(out, "process_open_fds", "gauge", "Open file descriptors",
                (double)count_fds());
    print_value(out, "process_start_time_seconds", "gauge", "Start, unix time",
                (double)gauges->started);
}

void metrics_text_print(FILE *out, const struct metrics *total,
                        const struct metrics_gauges *gauges,
                        const struct model_set *models)
{
    print_http(out, total);
    print_gauges(out, gauges);
    print_models(out, total, models);
    print_process(out, gauges);
}
