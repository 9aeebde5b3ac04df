#include "server/metrics/metrics_table.h"

const int metrics_codes[METRICS_CODES] = {200, 204, 400, 401, 403, 404,
                                          405, 408, 413, 415, 417, 499,
                                          500, 501, 503, 504, 0};

/* A tiny request takes some 10 µs, 256 MiB some 100 ms; what is slower than
 * 10 s is a slow client. */
const uint64_t metrics_bucket_us[METRICS_BUCKETS] = {
    25,    50,    100,   250,    500,    1000,    2500,    5000,
    10000, 25000, 50000, 100000, 250000, 1000000, 2500000, 10000000,
};

const char *const metrics_rejection_labels[METRICS_REJECTIONS] = {
    [METRICS_BODY_TOO_LARGE] = "body_too_large",
    [METRICS_INFLIGHT_BYTES] = "inflight_bytes",
    [METRICS_QUEUE_FULL] = "queue_full",
    [METRICS_CONNECTIONS] = "connections",
    [METRICS_ADDRESS_CONNECTIONS] = "address_connections",
    [METRICS_HEADER_TIMEOUT] = "header_timeout",
    [METRICS_BODY_TIMEOUT] = "body_timeout",
    [METRICS_SEND_TIMEOUT] = "send_timeout",
};

const char *const metrics_failure_labels[METRICS_FAILURES] = {
    [METRICS_REJECTED] = "REJECTED",
    [METRICS_CANCELED] = "CANCELED",
    [METRICS_BACKEND] = "BACKEND",
    [METRICS_OTHER] = "OTHER",
};

const char *const model_stage_labels[MODEL_STAGES] = {
    [MODEL_QUEUE] = "queue",
    [MODEL_INPUT] = "compute_input",
    [MODEL_INFER] = "compute_infer",
    [MODEL_OUTPUT] = "compute_output",
};

int metrics_bucket(uint64_t duration_us)
{
    int i = 0;

    while (i < METRICS_BUCKETS && duration_us > metrics_bucket_us[i])
        i++;
    return i;
}
