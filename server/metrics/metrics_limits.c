#include <inttypes.h>
#include <stddef.h>

#include "server/metrics/metrics_text.h"
#include "server/metrics/prometheus.h"

struct limit {
    const char *option;
    size_t offset;   /* of an int64_t in struct options */
    bool may_be_off; /* 0 = no limit */
};

#define LIMIT(option, field)                                                   \
    {                                                                          \
        option, offsetof(struct options, field), false                         \
    }
#define OR_NONE(option, field)                                                 \
    {                                                                          \
        option, offsetof(struct options, field), true                          \
    }
static const struct limit counts[] = {
    LIMIT("max-connections", max_connections),
    OR_NONE("max-connections-per-address", max_connections_per_address),
    LIMIT("max-queue-size", max_queue_size),
    LIMIT("grpc-max-streams", grpc_max_streams),
    LIMIT("grpc-max-resets", grpc_max_resets),
    {NULL, 0, false},
};
static const struct limit bytes[] = {
    LIMIT("http-max-input-size", http_max_input_size),
    OR_NONE("grpc-max-message", grpc_max_message),
    LIMIT("inline-limit", inline_limit),
    LIMIT("max-inflight-bytes", max_inflight_bytes),
    OR_NONE("max-inflight-bytes-per-address", max_inflight_bytes_per_address),
    {NULL, 0, false},
};
static const struct limit seconds[] = {
    LIMIT("header-timeout", header_timeout),
    LIMIT("body-timeout", body_timeout),
    LIMIT("idle-timeout", idle_timeout),
    OR_NONE("max-connection-age", max_connection_age),
    LIMIT("drain-delay", drain_delay),
    LIMIT("exit-timeout-secs", exit_timeout_secs),
    {NULL, 0, false},
};
static const struct limit milliseconds[] = {
    OR_NONE("max-queue-delay", max_queue_delay),
    {NULL, 0, false},
};

static void print(FILE *out, const char *name, const struct limit *limits,
                  const struct options *options, double divisor)
{
    for (const struct limit *limit = limits; limit->option; limit++) {
        const void *at = (const char *)options + limit->offset;
        int64_t value = *(const int64_t *)at;

        fprintf(out, "%s{option=\"%s\"} ", name, limit->option);
        if (limit->may_be_off && value == 0)
            fputs("+Inf\n", out);
        else
            fprintf(out, "%.15g\n", (double)value / divisor);
    }
}

void metrics_limits_print(FILE *out, const struct options *options)
{
    prometheus_head(out, "flipd_limit", "gauge",
                    "Limits that are numbers, by option; +Inf: no limit");
    print(out, "flipd_limit", counts, options, 1);
    prometheus_head(out, "flipd_limit_bytes", "gauge",
                    "Limits in bytes, by option; +Inf: no limit");
    print(out, "flipd_limit_bytes", bytes, options, 1);
    prometheus_head(out, "flipd_limit_seconds", "gauge",
                    "Limits in seconds, by option; +Inf: no limit");
    print(out, "flipd_limit_seconds", seconds, options, 1);
    print(out, "flipd_limit_seconds", milliseconds, options, 1000);
}
