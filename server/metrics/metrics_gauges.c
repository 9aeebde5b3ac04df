#include <inttypes.h>

#include "server/metrics/metrics_text.h"
#include "server/metrics/revision.h"

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

static void print_lanes(FILE *out, const char *name, const char *key,
                        const char *help, const size_t counts[METRICS_LANES])
{
    static const char *const lanes[METRICS_LANES] = {"short", "medium", "long"};

    prometheus_head(out, name, "gauge", help);
    for (int i = 0; i < METRICS_LANES; i++)
        fprintf(out, "%s{%s=\"%s\"} %zu\n", name, key, lanes[i], counts[i]);
}

static void print_work(FILE *out, const struct metrics_gauges *gauges)
{
    const size_t *depth = gauges->queue_depth;

    prometheus_value(out, "flipd_queue_depth", "gauge",
                     "Requests waiting for a worker",
                     (double)(depth[0] + depth[1] + depth[2]));
    print_lanes(out, "flipd_queue_lane_depth", "lane",
                "The same by lane: the time that they will run", depth);
    print_lanes(out, "flipd_workers", "kind",
                "Worker threads, by the longest requests that they execute",
                gauges->workers);
    print_lanes(out, "flipd_workers_busy", "kind",
                "Of them, those that execute a request now",
                gauges->workers_busy);
}

static void print_memory(FILE *out, const struct metrics_gauges *gauges)
{
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
}

/* Of the files that there are. */
static void print_reloads(FILE *out, const struct metrics_reload *list)
{
    static const char at[] = "flipd_last_reload_success_timestamp_seconds";
    static const char ok[] = "flipd_last_reload_successful";
    const struct metrics_reload *each;

    prometheus_head(
        out, at, "gauge",
        "When files were read and could be used, unix time; without "
        "such files there is no line");
    for (each = list; each->label; each++)
        if (atomic_load(&each->reload->success_at) != 0)
            fprintf(out, "%s{what=\"%s\"} %lld\n", at, each->label,
                    atomic_load(&each->reload->success_at));
    prometheus_head(out, ok, "gauge",
                    "1: they are in use; 0: those read before still are");
    for (each = list; each->label; each++)
        if (atomic_load(&each->reload->success_at) != 0)
            fprintf(out, "%s{what=\"%s\"} %d\n", ok, each->label,
                    atomic_load(&each->reload->ok));
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

static void print_build(FILE *out, const struct api_simd *simd)
{
    prometheus_head(out, "flipd_build_info", "gauge", "Always 1");
    fprintf(out, "flipd_build_info{version=\"%s\",revision=\"%s\"} 1\n",
            FLIPD_VERSION, revision_text);
    prometheus_head(out, "flipd_simd_info", "gauge",
                    "Always 1; the instruction sets in use");
    fprintf(out, "flipd_simd_info{movers=\"%s\",json=\"%s\"} 1\n", simd->movers,
            simd->json);
}

void metrics_gauges_print(FILE *out, const struct metrics_gauges *gauges)
{
    prometheus_value(out, "flipd_connections", "gauge", "Open connections",
                     (double)gauges->connections);
    print_memory(out, gauges);
    print_work(out, gauges);
    if (gauges->options)
        metrics_limits_print(out, gauges->options);
    if (gauges->reloads)
        print_reloads(out, gauges->reloads);
    if (gauges->certificate_expiry)
        prometheus_value(out, "flipd_tls_certificate_expiry_timestamp_seconds",
                         "gauge", "End of the loaded certificate, unix time",
                         (double)gauges->certificate_expiry);
    print_log(out, gauges);
    print_build(out, &gauges->simd);
}
