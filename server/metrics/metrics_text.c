#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/metrics/metrics_table.h"
#include "server/metrics/process_stats.h"

void metrics_head(FILE *out, const char *name, const char *type,
                  const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_requests(FILE *out, const struct metrics *total, int route)
{
    for (int i = 0; i < METRICS_CODES; i++) {
        uint64_t count = metrics_value(&total->requests[route][i]);

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

void metrics_histogram(FILE *out, const char *name, const char *labels,
                       const atomic_ullong *buckets, double sum)
{
    uint64_t count = 0;

    for (int i = 0; i < METRICS_BUCKETS; i++) {
        count += metrics_value(&buckets[i]);
        fprintf(out, "%s_bucket{%s,le=\"%g\"} %" PRIu64 "\n", name, labels,
                (double)metrics_bucket_us[i] / 1e6, count);
    }
    count += metrics_value(&buckets[METRICS_BUCKETS]);
    fprintf(out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
            count);
    fprintf(out, "%s_sum{%s} %.6f\n", name, labels, sum);
    fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
}

static void print_seconds(FILE *out, const struct metrics *total, int route)
{
    char labels[80];

    snprintf(labels, sizeof(labels), "route=\"%s\"", total->labels[route]);
    metrics_histogram(out, "flipd_http_request_seconds", labels,
                      total->seconds[route],
                      (double)metrics_value(&total->total_us[route]) / 1e6);
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
    metrics_head(out, "flipd_http_requests_total", "counter",
                 "Requests by answer");
    print_routes(out, total, print_requests);
    metrics_head(out, "flipd_http_request_seconds", "histogram",
                 "From headers received to answer sent");
    print_routes(out, total, print_seconds);
    metrics_head(out, "flipd_bytes_total", "counter", "Bytes of bodies");
    fprintf(out,
            "flipd_bytes_total{direction=\"received\"} %" PRIu64
            "\nflipd_bytes_total{direction=\"sent\"} %" PRIu64 "\n",
            metrics_value(&total->received), metrics_value(&total->sent));
    metrics_head(out, "flipd_rejected_total", "counter",
                 "Requests and connections that met a limit");
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        fprintf(out, "flipd_rejected_total{reason=\"%s\"} %" PRIu64 "\n",
                metrics_rejection_labels[i],
                metrics_value(&total->rejected[i]));
}

static void print_gauges(FILE *out, const struct metrics_gauges *gauges)
{
    metrics_head(out, "flipd_connections", "gauge", "Open connections");
    fprintf(out, "flipd_connections %zu\n", gauges->connections);
    metrics_head(out, "flipd_inflight_bytes", "gauge",
                 "Bodies and answers held");
    fprintf(out, "flipd_inflight_bytes %zu\n", gauges->inflight_bytes);
    metrics_head(out, "flipd_queue_depth", "gauge",
                 "Requests waiting for a worker");
    fprintf(out, "flipd_queue_depth %zu\n", gauges->queue_depth);
    metrics_head(out, "flipd_log_dropped_total", "counter",
                 "Log lines that nobody would take");
    fprintf(out, "flipd_log_dropped_total %" PRIu64 "\n", gauges->log_dropped);
    metrics_head(out, "flipd_build_info", "gauge", "Always 1");
    fprintf(out, "flipd_build_info{version=\"%s\"} 1\n", FLIPD_VERSION);
}

/* What could not be read is left out: a wrong figure is worse than none. */
static void print_value(FILE *out, const char *name, const char *type,
                        const char *help, double number)
{
    if (number < 0)
        return;
    metrics_head(out, name, type, help);
    fprintf(out, "%s %.15g\n", name, number);
}

static void print_process(FILE *out)
{
    struct process_stats stats;

    process_stats_read(&stats);
    print_value(out, "process_resident_memory_bytes", "gauge",
                "Resident memory", (double)stats.resident_bytes);
    print_value(out, "process_cpu_seconds_total", "counter", "CPU time used",
                stats.cpu_seconds);
    print_value(out, "process_open_fds", "gauge", "Open file descriptors",
                (double)stats.open_fds);
    print_value(out, "process_start_time_seconds", "gauge", "Start, unix time",
                stats.start_seconds);
}

char *metrics_render(const struct metrics *total,
                     const struct metrics_gauges *gauges,
                     const struct model_set *models, size_t *len)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, len);
    bool failed;

    if (!out)
        return NULL;
    print_http(out, total);
    print_gauges(out, gauges);
    metrics_models(out, total, models);
    print_process(out);
    failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
