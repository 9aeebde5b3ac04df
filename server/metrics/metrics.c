#include "server/metrics/metrics.h"

#include <string.h>
#include <time.h>

const int metrics_codes[METRICS_CODES] = {
    200, 204, 400, 401, 403, 404, 405,
    408, 413, 414, 415, 417, 431, METRICS_CLIENT_GONE,
    500, 501, 503, 504, 505, 0,
};

const char *const metrics_rejection_labels[METRICS_REJECTIONS] = {
    [METRICS_BODY_TOO_LARGE] = "body_too_large",
    [METRICS_INFLIGHT_BYTES] = "inflight_bytes",
    [METRICS_QUEUE_FULL] = "queue_full",
    [METRICS_QUEUE_DELAY] = "queue_delay",
    [METRICS_CONNECTIONS] = "connections",
    [METRICS_ADDRESS_CONNECTIONS] = "address_connections",
    [METRICS_HEADER_TIMEOUT] = "header_timeout",
    [METRICS_BODY_TIMEOUT] = "body_timeout",
    [METRICS_SEND_TIMEOUT] = "send_timeout",
    [METRICS_CROWD] = "crowd",
    [METRICS_FLOOD] = "flood",
};

static int find_code(int status)
{
    int i = 0;

    while (metrics_codes[i] && metrics_codes[i] != status)
        i++;
    return i;
}

/* Index of the label, added if it is new. Once all rows but one are in use, new
 * labels share the last row, "other". */
static int find_route(struct metrics *metrics, const char *label)
{
    int i = 0;

    for (; i < METRICS_ROUTES - 1; i++) {
        const char *label_here =
            atomic_load_explicit(&metrics->labels[i], memory_order_relaxed);

        if (!label_here)
            break;
        if (label_here == label || strcmp(label_here, label) == 0)
            return i;
    }
    if (i == METRICS_ROUTES - 1)
        label = "other";
    atomic_store_explicit(&metrics->labels[i], label, memory_order_relaxed);
    return i;
}

static enum model_failure failure_of(int status)
{
    switch (status) {
    case 413:
    case 503:
        return MODEL_REJECTED;
    case METRICS_CLIENT_GONE:
    case 504:
        return MODEL_CANCELED;
    case 500:
        return MODEL_BACKEND;
    default:
        return MODEL_OTHER;
    }
}

static uint64_t unix_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void count_model(struct metrics *metrics,
                        const struct metrics_request *r)
{
    struct model_counts *counts = &metrics->models[api_model_slot(r->model)];

    if (r->status == 200)
        model_counts_success(counts, &r->times, unix_ms());
    else
        model_counts_failure(counts, failure_of(r->status),
                             r->duration_us * 1000);
}

void metrics_count_request(struct metrics *metrics,
                           const struct metrics_request *r)
{
    int route = find_route(metrics, r->route ? r->route : "none");

    counter_add(&metrics->requests[route][find_code(r->status)], 1);
    histogram_add(&metrics->seconds[route], r->duration_us * 1000);
    counter_add(&metrics->received, r->received);
    counter_add(&metrics->sent, r->sent);
    if (r->model)
        count_model(metrics, r);
}

void metrics_count_rejection(struct metrics *metrics,
                             enum metrics_rejection reason)
{
    counter_add(&metrics->rejected[reason], 1);
}

static void merge_route(struct metrics *total, const struct metrics *part,
                        int from)
{
    const char *label =
        atomic_load_explicit(&part->labels[from], memory_order_relaxed);
    int to;

    if (!label)
        return;
    to = find_route(total, label);
    counter_merge(total->requests[to], part->requests[from], METRICS_CODES);
    histogram_merge(&total->seconds[to], &part->seconds[from]);
}

void metrics_merge(struct metrics *total, const struct metrics *part)
{
    for (int i = 0; i < METRICS_ROUTES; i++)
        merge_route(total, part, i);
    counter_merge(&total->received, &part->received, 1);
    counter_merge(&total->sent, &part->sent, 1);
    counter_merge(total->rejected, part->rejected, METRICS_REJECTIONS);
    for (int i = 0; i < API_MODEL_SLOTS; i++)
        model_counts_merge(&total->models[i], &part->models[i]);
}
