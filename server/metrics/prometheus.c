#include "server/metrics/prometheus.h"

#include <inttypes.h>

void prometheus_head(FILE *out, const char *name, const char *type,
                     const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void prometheus_value(FILE *out, const char *name, const char *type,
                      const char *help, double value)
{
    if (value < 0)
        return;
    prometheus_head(out, name, type, help);
    fprintf(out, "%s %.15g\n", name, value);
}

void prometheus_histogram(FILE *out, const char *name, const char *labels,
                          const struct histogram *histogram)
{
    uint64_t count = 0;

    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
        count += counter_value(&histogram->buckets[i]);
        fprintf(out, "%s_bucket{%s,le=\"%g\"} %" PRIu64 "\n", name, labels,
                (double)histogram_bounds_us[i] / 1e6, count);
    }
    count += counter_value(&histogram->buckets[HISTOGRAM_BUCKETS]);
    fprintf(out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
            count);
    fprintf(out, "%s_sum{%s} %.6f\n", name, labels,
            (double)counter_value(&histogram->sum_ns) / 1e9);
    fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
}
