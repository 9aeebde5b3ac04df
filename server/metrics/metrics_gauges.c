#include <inttypes.h>

#include "server/metrics/metrics_text.h"
#include "server/metrics/revision.h"

static void print_bytes(const struct prometheus *text, const char *name,
                        const char *key, const char *help,
                        const struct metrics_bytes *list)
{
    if (!list)
        return;
    prometheus_head(text, name, "gauge", help);
    for (; list->label; list++)
        fprintf(text->out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, key,
                list->label, list->bytes);
}

static void print_lanes(const struct prometheus *text, const char *name,
                        const char *key, const char *help,
                        const size_t counts[METRICS_LANES])
{
    static const char *const lanes[METRICS_LANES] = {"short", "medium", "long"};

    prometheus_head(text, name, "gauge", help);
    for (int i = 0; i < METRICS_LANES; i++)
        fprintf(text->out, "%s{%s=\"%s\"} %zu\n", name, key, lanes[i],
                counts[i]);
}

static void print_work(const struct prometheus *text,
                       const struct metrics_gauges *gauges)
{
    const size_t *depth = gauges->queue_depth;

    prometheus_value(text, "flipd_queue_depth", "gauge",
                     "Requests waiting for a worker",
                     (double)(depth[0] + depth[1] + depth[2]));
    print_lanes(text, "flipd_queue_lane_depth", "lane",
                "The same by lane: the time that they will run", depth);
    print_lanes(text, "flipd_workers", "kind",
                "Worker threads, by the longest requests that they execute",
                gauges->workers);
    print_lanes(text, "flipd_workers_busy", "kind",
                "Of them, those that execute a request now",
                gauges->workers_busy);
}

static void print_memory(const struct prometheus *text,
                         const struct metrics_gauges *gauges)
{
    prometheus_value(text, "flipd_inflight_bytes", "gauge",
                     "Bytes reserved for bodies and replies",
                     (double)gauges->inflight_bytes);
    print_bytes(text, "flipd_budget_bytes", "use",
                "max-inflight-bytes: leased by requests, by the kernel for "
                "wide sockets, kept in free buffers",
                gauges->budget);
    print_bytes(text, "flipd_memory_bytes", "term",
                "Most that the daemon may take, by term; and its limit",
                gauges->memory);
}

/* Of the files that there are. */
static void print_reloads(const struct prometheus *text,
                          const struct metrics_reload *list)
{
    static const char at[] = "flipd_last_reload_success_timestamp_seconds";
    static const char ok[] = "flipd_last_reload_successful";
    const struct metrics_reload *each;

    prometheus_head(
        text, at, "gauge",
        "When files were read and could be used, unix time; without "
        "such files there is no line");
    for (each = list; each->label; each++)
        if (atomic_load(&each->reload->success_at) != 0)
            fprintf(text->out, "%s{what=\"%s\"} %lld\n", at, each->label,
                    atomic_load(&each->reload->success_at));
    prometheus_head(text, ok, "gauge",
                    "1: they are in use; 0: those read before still are");
    for (each = list; each->label; each++)
        if (atomic_load(&each->reload->success_at) != 0)
            fprintf(text->out, "%s{what=\"%s\"} %d\n", ok, each->label,
                    atomic_load(&each->reload->ok));
}

static void print_log(const struct prometheus *text,
                      const struct metrics_gauges *gauges)
{
    prometheus_value(text, "flipd_log_dropped_total", "counter",
                     "Log lines dropped: the reader was too slow",
                     (double)gauges->log_dropped);
    prometheus_value(text, "flipd_log_held_back_total", "counter",
                     "Log lines held back: too many of a kind in a second",
                     (double)gauges->log_held_back);
}

static void print_build(const struct prometheus *text,
                        const struct api_simd *simd)
{
    prometheus_head(text, "flipd_build_info", "gauge", "Always 1");
    fprintf(text->out, "flipd_build_info{version=\"%s\",revision=\"%s\"} 1\n",
            FLIPD_VERSION, revision_text);
    prometheus_head(text, "flipd_simd_info", "gauge",
                    "Always 1; the instruction sets in use");
    fprintf(text->out, "flipd_simd_info{movers=\"%s\",json=\"%s\"} 1\n",
            simd->movers, simd->json);
}

void metrics_gauges_print(const struct prometheus *text,
                          const struct metrics_gauges *gauges)
{
    prometheus_value(text, "flipd_connections", "gauge", "Open connections",
                     (double)gauges->connections);
    print_memory(text, gauges);
    print_work(text, gauges);
    if (gauges->options)
        metrics_limits_print(text, gauges->options);
    if (gauges->reloads)
        print_reloads(text, gauges->reloads);
    if (gauges->certificate_expiry)
        prometheus_value(text, "flipd_tls_certificate_expiry_timestamp_seconds",
                         "gauge", "End of the loaded certificate, unix time",
                         (double)gauges->certificate_expiry);
    print_log(text, gauges);
    print_build(text, &gauges->simd);
}
