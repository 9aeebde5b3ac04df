#include "server/metrics/prometheus.h"

#include <inttypes.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len > end_len && strcmp(text + len - end_len, end) == 0;
}

void prometheus_head(const struct prometheus *text, const char *name,
                     const char *type, const char *help)
{
    int len = (int)strlen(name);

    if (text->openmetrics && strcmp(type, "counter") == 0) {
        if (ends_with(name, "_total"))
            len -= (int)strlen("_total");
        else
            type = "unknown";
    }
    fprintf(text->out, "# HELP %.*s %s\n# TYPE %.*s %s\n", len, name, help, len,
            name, type);
}

void prometheus_value(const struct prometheus *text, const char *name,
                      const char *type, const char *help, double value)
{
    if (value < 0)
        return;
    prometheus_head(text, name, type, help);
    fprintf(text->out, "%s %.15g\n", name, value);
}

/* A bound as OpenMetrics spells it: with a '.' or an exponent. */
static void print_bound(FILE *out, uint64_t us)
{
    if (us % 1000000 == 0)
        fprintf(out, "%" PRIu64 ".0", us / 1000000);
    else
        fprintf(out, "%g", (double)us / 1e6);
}

static void print_exemplar(const struct prometheus *text,
                           const struct exemplar *exemplar)
{
    struct exemplar_value value;

    if (text->openmetrics && exemplar && exemplar_read(exemplar, &value))
        fprintf(text->out, " # {trace_id=\"%s\"} %.9g %" PRIu64 ".%03" PRIu64,
                value.trace_id, (double)value.ns / 1e9, value.when_ms / 1000,
                value.when_ms % 1000);
}

static void print_bucket(const struct prometheus *text, const char *name,
                         const char *labels, int bucket)
{
    fprintf(text->out, "%s_bucket{%s,le=\"", name, labels);
    if (bucket == HISTOGRAM_BUCKETS)
        fputs("+Inf", text->out);
    else
        print_bound(text->out, histogram_bounds_us[bucket]);
    fputs("\"} ", text->out);
}

void prometheus_histogram(const struct prometheus *text, const char *name,
                          const char *labels, const struct histogram *histogram,
                          const struct exemplar *exemplars)
{
    uint64_t count = 0;

    for (int i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        count += counter_value(&histogram->buckets[i]);
        print_bucket(text, name, labels, i);
        fprintf(text->out, "%" PRIu64, count);
        print_exemplar(text, exemplars ? &exemplars[i] : NULL);
        fputc('\n', text->out);
    }
    fprintf(text->out, "%s_sum{%s} %.6f\n", name, labels,
            (double)counter_value(&histogram->sum_ns) / 1e9);
    fprintf(text->out, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
}

void prometheus_end(const struct prometheus *text)
{
    if (text->openmetrics)
        fputs("# EOF\n", text->out);
}
