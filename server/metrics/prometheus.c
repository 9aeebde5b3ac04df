#include "server/metrics/prometheus.h"

#include <inttypes.h>

#include "server/metrics/counter.h"
#include "server/metrics/histogram.h"

void prometheus_head(FILE *out, const char *name, const char *type,
                     const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void prometheus_histogram(FILE *out, const char *name, const char *labels,
                          const atomic_ullong *buckets, double sum)
{
    uint64_t count = 0;

    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
        count += counter_value(&buckets[i]);
        fprintf(out, "%s_bucket{%s,le=\"%g\"} %" PRIu64 "\n", name, labels,
                (double)histogram_bounds_us[i] / 1e6, count);
    }
    count += counter_value(&buckets[HISTOGRAM_BUCKETS]);
    fprintf(out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
            count);
    fprintf(out, "%s_sum{%s} %.6f\n", name, labels, sum);
    fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
}
