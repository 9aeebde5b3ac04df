#include "server/routes/metrics_route.h"

#include <dirent.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "kernels/core/isa.h"
#include "server/config/host_limits.h"
#include "server/metrics/metrics.h"
#include "server/work/workers.h"

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

static void print_http(FILE *out, const struct metrics *total)
{
    char labels[80];

    print_head(out, "flipd_http_requests_total", "counter",
               "Requests by route and status");
    for (int i = 0; i < METRICS_ROUTES; i++)
        print_requests(out, total, i);
    print_head(out, "flipd_http_request_duration_seconds", "histogram",
               "Time from the headers to the end of the reply, by route");
    for (int i = 0; i < METRICS_ROUTES && total->labels[i]; i++) {
        snprintf(labels, sizeof(labels), "route=\"%s\"", total->labels[i]);
        print_histogram(out, "flipd_http_request_duration_seconds", labels,
                        &total->seconds[i]);
    }
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

/* A whole number. */
static void print_count(FILE *out, const char *name, const char *type,
                        const char *help, size_t count)
{
    print_head(out, name, type, help);
    fprintf(out, "%s %zu\n", name, count);
}

/* A value of a label, and the whole number of the metric that has it. */
struct part {
    const char *label; /* NULL ends a list */
    size_t count;
};

static void print_parts(FILE *out, const char *name, const char *help,
                        const char *key, const struct part *parts)
{
    print_head(out, name, "gauge", help);
    for (; parts->label; parts++)
        fprintf(out, "%s{%s=\"%s\"} %zu\n", name, key, parts->label,
                parts->count);
}

static void print_lanes(FILE *out, const char *name, const char *help,
                        const char *key, const size_t counts[LANES])
{
    const struct part parts[] = {{"short", counts[0]},
                                 {"medium", counts[1]},
                                 {"long", counts[2]},
                                 {NULL, 0}};

    print_parts(out, name, help, key, parts);
}

static void print_memory(FILE *out, const struct job_context *context)
{
    const struct budget *budget = &context->budget;
    const struct memory_plan *plan = &context->memory;
    const struct part uses[] = {{"leased", budget_requests(budget)},
                                {"sockets", atomic_load(&budget->sockets)},
                                {"kept", atomic_load(&budget->kept)},
                                {"limit", budget->limit},
                                {NULL, 0}};
    const struct part terms[] = {{"base", (size_t)plan->base},
                                 {"connections", (size_t)plan->connections},
                                 {"waiting", (size_t)plan->waiting},
                                 {"inflight", (size_t)plan->inflight},
                                 {"json", (size_t)plan->json},
                                 {"total", (size_t)plan->total},
                                 {"limit", (size_t)plan->limit},
                                 {NULL, 0}};

    print_count(out, "flipd_inflight_bytes", "gauge",
                "Bytes reserved for bodies and replies",
                budget_requests(budget));
    print_parts(out, "flipd_budget_bytes",
                "max-inflight-bytes: leased by requests, by the kernel for "
                "wide sockets, kept in free buffers",
                "use", uses);
    print_parts(out, "flipd_memory_bytes",
                "Most that the daemon may take, by term; and its limit", "term",
                terms);
}

static void print_workers(FILE *out, const struct job_context *context)
{
    const size_t workers = (size_t)context->options->worker_count;
    size_t waiting[LANES], busy[LANES];

    workers_gauges(context->workers, waiting, busy);
    print_count(out, "flipd_queue_depth", "gauge",
                "Requests waiting for a worker",
                waiting[0] + waiting[1] + waiting[2]);
    print_lanes(out, "flipd_queue_lane_depth",
                "The same by lane: the time that they will run", "lane",
                waiting);
    print_lanes(out, "flipd_workers",
                "Worker threads, by the longest requests that they execute",
                "kind", (const size_t[]){1, workers, workers});
    print_lanes(out, "flipd_workers_busy",
                "Of them, those that execute a request now", "kind", busy);
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
static void print_reloads(FILE *out, const struct job_context *context)
{
    static const char *const names[] = {"models", "tls"};
    const struct reload *const reloads[] = {&context->models.reload,
                                            &context->tls_reload};
    struct part at[3] = {{NULL, 0}}, ok[3] = {{NULL, 0}};
    int count = 0;

    for (int i = 0; i < 2; i++) {
        long long when = atomic_load(&reloads[i]->success_at);

        if (when == 0)
            continue;
        at[count] = (struct part){names[i], (size_t)when};
        ok[count++] = (struct part){names[i], atomic_load(&reloads[i]->ok)};
    }
    print_parts(out, "flipd_last_reload_success_timestamp_seconds",
                "When files were read and could be used, unix time; without "
                "such files there is no line",
                "what", at);
    print_parts(out, "flipd_last_reload_successful",
                "1: they are in use; 0: those read before still are", "what",
                ok);
}

static void print_states(FILE *out, const struct job_context *context)
{
    const long long expiry = atomic_load(&context->certificate_expiry);

    print_count(out, "flipd_connections", "gauge", "Open connections",
                atomic_load(context->connections));
    print_memory(out, context);
    print_workers(out, context);
    print_count(out, "flipd_log_dropped_total", "counter",
                "Log lines dropped: the reader was too slow",
                atomic_load(&context->log->dropped));
    print_count(out, "flipd_log_held_back_total", "counter",
                "Log lines held back: too many of a kind in a second",
                atomic_load(&context->log->held_back));
    print_limits(out, context->options);
    print_reloads(out, context);
    if (expiry)
        print_value(out, "flipd_tls_certificate_expiry_timestamp_seconds",
                    "gauge", "End of the loaded certificate, unix time",
                    (double)expiry);
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

static const char *const failure_labels[MODEL_FAILURES] = {
    [MODEL_REJECTED] = "REJECTED",
    [MODEL_CANCELED] = "CANCELED",
    [MODEL_BACKEND] = "BACKEND",
    [MODEL_OTHER] = "OTHER",
};

/* The failures of one model, by reason. */
static void print_failures(FILE *out, const struct metrics *total,
                           const struct model *model)
{
    for (int i = 0; i < MODEL_FAILURES; i++)
        fprintf(out,
                "nv_inference_request_failure{model=\"%s\",version=\"%s\","
                "reason=\"%s\"} %" PRIu64 "\n",
                api_model_name(model), api_model_version(model),
                failure_labels[i],
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

static void print(FILE *out, const struct job *job, const void *total)
{
    const struct job_context *context = job->context;

    print_http(out, total);
    print_states(out, context);
    print_models(out, total, job->request.models);
    print_value(out, "process_resident_memory_bytes", "gauge",
                "Resident memory", (double)host_limits_resident());
    print_value(out, "process_cpu_seconds_total", "counter", "CPU time used",
                cpu_seconds());
    print_value(out, "process_open_fds", "gauge", "Open file descriptors",
                (double)count_fds());
    print_value(out, "process_start_time_seconds", "gauge", "Start, unix time",
                (double)context->started);
}

void metrics_route_answer(struct job *job, const struct api_route *route)
{
    const struct job_context *context = job->context;
    struct metrics *total = calloc(1, sizeof(*total));

    (void)route;
    if (!total) {
        job_fail_memory(job, "the metrics");
        return;
    }
    for (int i = 0; i < context->metrics_count; i++)
        metrics_merge(total, context->metrics[i]);
    job_reply_text(job, print, total,
                   "text/plain; version=0.0.4; charset=utf-8", "the metrics");
    free(total);
}
