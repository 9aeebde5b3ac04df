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

/* A bound in seconds, always with a '.' or an exponent. */
static void print_bound(FILE *out, uint64_t us)
{
    if (us % 1000000 == 0)
        fprintf(out, "%" PRIu64 ".0", us / 1000000);
    else
        fprintf(out, "%g", (double)us / 1e6);
}

static void print_bucket(FILE *out, const char *name, const char *labels,
                         int bucket)
{
    fprintf(out, "%s_bucket{%s,le=\"", name, labels);
    if (bucket == HISTOGRAM_BUCKETS)
        fputs("+Inf", out);
    else
        print_bound(out, histogram_bounds_us[bucket]);
    fputs("\"} ", out);
}

void prometheus_histogram(FILE *out, const char *name, const char *labels,
                          const struct histogram *histogram)
{
    uint64_t count = 0;

    for (int i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        count += counter_value(&histogram->buckets[i]);
        print_bucket(out, name, labels, i);
        fprintf(out, "%" PRIu64 "\n", count);
    }
    fprintf(out, "%s_sum{%s} %.6f\n", name, labels,
            (double)counter_value(&histogram->sum_ns) / 1e9);
    fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
}
