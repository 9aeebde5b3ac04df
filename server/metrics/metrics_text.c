#include "server/metrics/metrics_text.h"

#include <inttypes.h>

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
    prometheus_histogram(out, "flipd_http_request_duration_seconds", labels,
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
    prometheus_head(out, "flipd_http_request_duration_seconds", "histogram",
                    "Time from the headers to the end of the reply, by route");
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

void metrics_text_print(FILE *out, const struct metrics *total,
                        const struct metrics_gauges *gauges,
                        const struct model_set *models)
{
    print_http(out, total);
    metrics_gauges_print(out, gauges);
    metrics_models_print(out, total, models);
    process_stats_print(out, gauges);
}
