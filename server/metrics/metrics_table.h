/* The label values of metrics.h: private to metrics*.c and
 * model_counts.c. */
#pragma once

#include <stdio.h>

#include "server/metrics/metrics.h"

/* Every status that is sent, ended by 0, which stands for any other. */
extern const int metrics_codes[METRICS_CODES];

/* Upper bounds of the histogram, in µs. */
extern const uint64_t metrics_bucket_us[METRICS_BUCKETS];

extern const char *const metrics_rejection_labels[METRICS_REJECTIONS];
extern const char *const metrics_failure_labels[METRICS_FAILURES];
extern const char *const model_stage_labels[MODEL_STAGES];

/* The histogram's place for a duration. */
int metrics_bucket(uint64_t duration_us);

/* The only writer adds: no other thread can come between. */
static inline void metrics_add(atomic_ullong *counter, uint64_t amount)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);

    atomic_store_explicit(counter, now + amount, memory_order_relaxed);
}

static inline uint64_t metrics_value(const atomic_ullong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Adds `count` counters to those of a total. */
static inline void metrics_merge_all(atomic_ullong *total,
                                     const atomic_ullong *part, size_t count)
{
    for (size_t i = 0; i < count; i++)
        metrics_add(&total[i], metrics_value(&part[i]));
}

/* A metric's HELP and TYPE. */
void metrics_head(FILE *out, const char *name, const char *type,
                  const char *help);

/* One histogram; `labels` without braces, `sum` in seconds. */
void metrics_histogram(FILE *out, const char *name, const char *labels,
                       const atomic_ullong *buckets, double sum);

/* What is counted of each model. */
void metrics_models(FILE *out, const struct metrics *total,
                    const struct model_set *models);
