#include "server/metrics/metrics_text.h"

#include <inttypes.h>

#include "server/metrics/prometheus.h"

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
    prometheus_histogram(out, "flipd_http_request_seconds", labels,
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
    prometheus_head(out, "flipd_http_requests_total", "counter",
                    "Requests by route and status");
    print_routes(out, total, print_requests);
    prometheus_head(out, "flipd_http_request_seconds", "histogram",
                    "Time from the headers to the end of the reply");
    print_routes(out, total, print_seconds);
    prometheus_head(out, "flipd_bytes_total", "counter", "Bytes of bodies");
    fprintf(out,
            "flipd_bytes_total{direction=\"received\"} %" PRIu64
            "\nflipd_bytes_total{direction=\"sent\"} %" PRIu64 "\n",
            counter_value(&total->received), counter_value(&total->sent));
    prometheus_head(out, "flipd_rejected_total", "counter",
                    "Requests and connections refused by a limit");
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        fprintf(out, "flipd_rejected_total{reason=\"%s\"} %" PRIu64 "\n",
                metrics_rejection_labels[i],
                counter_value(&total->rejected[i]));
}

static void print_bytes(FILE *out, const char *name, const char *key,
                        const char *help, const struct metrics_bytes *list)
{
    if (!list)
        return;
    prometheus_head(out, name, "gauge", help);
    for (; list->label; list++)
        fprintf(out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, key, list->label,
                list->bytes);
}

static void print_queue(FILE *out, const size_t depth[3])
{
    prometheus_value(out, "flipd_queue_depth", "gauge",
                     "Requests waiting for a worker",
                     (double)(depth[0] + depth[1] + depth[2]));
    prometheus_head(out, "flipd_queue_lane_depth", "gauge",
                    "The same by lane: the time that they will run");
    fprintf(out,
            "flipd_queue_lane_depth{lane=\"short\"} %zu\n"
            "flipd_queue_lane_depth{lane=\"medium\"} %zu\n"
            "flipd_queue_lane_depth{lane=\"long\"} %zu\n",
            depth[0], depth[1], depth[2]);
}

static void print_log(FILE *out, const struct metrics_gauges *gauges)
{
    prometheus_value(out, "flipd_log_dropped_total", "counter",
                     "Log lines dropped: the reader was too slow",
                     (double)gauges->log_dropped);
    prometheus_value(out, "flipd_log_held_back_total", "counter",
                     "Log lines held back: too many of a kind in a second",
                     (double)gauges->log_held_back);
}

static void print_build(FILE *out, const struct metrics_gauges *gauges)
{
    prometheus_head(out, "flipd_build_info", "gauge", "Always 1");
    fprintf(out, "flipd_build_info{version=\"%s\"} 1\n", FLIPD_VERSION);
    prometheus_head(out, "flipd_simd_info", "gauge",
                    "Always 1; the instruction sets in use");
    fprintf(out, "flipd_simd_info{movers=\"%s\",json=\"%s\"} 1\n",
            gauges->simd.movers, gauges->simd.json);
}

static void print_gauges(FILE *out, const struct metrics_gauges *gauges)
{
    prometheus_value(out, "flipd_connections", "gauge", "Open connections",
                     (double)gauges->connections);
    prometheus_value(out, "flipd_inflight_bytes", "gauge",
                     "Bytes reserved for bodies and replies",
                     (double)gauges->inflight_bytes);
    print_bytes(out, "flipd_budget_bytes", "use",
                "max-inflight-bytes: leased by requests, by the kernel for "
                "wide sockets, kept in free buffers",
                gauges->budget);
    print_bytes(out, "flipd_memory_bytes", "term",
                "Most that the daemon may take, by term; and its limit",
                gauges->memory);
    print_queue(out, gauges->queue_depth);
    print_log(out, gauges);
    print_build(out, gauges);
}

void metrics_text_print(FILE *out, const struct metrics *total,
                        const struct metrics_gauges *gauges,
                        const struct model_set *models)
{
    print_http(out, total);
    print_gauges(out, gauges);
    metrics_models_print(out, total, models);
    process_stats_print(out, gauges);
}
