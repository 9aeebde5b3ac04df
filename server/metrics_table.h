/* The label values of metrics.h: private to metrics*.c. */
#pragma once

#include "server/metrics.h"

/* Every status that is sent, ended by 0, which stands for any other. */
extern const int metrics_codes[METRICS_CODES];

/* Upper bounds of the histogram, in µs. */
extern const uint64_t metrics_bucket_us[METRICS_BUCKETS];

extern const char *const metrics_rejection_labels[METRICS_REJECTIONS];
extern const char *const metrics_failure_labels[METRICS_FAILURES];
