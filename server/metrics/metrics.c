#include "server/metrics/metrics.h"

#include <string.h>
#include <time.h>

#include "server/metrics/metrics_table.h"

static int code_place(int status)
{
    int i = 0;

    while (metrics_codes[i] && metrics_codes[i] != status)
        i++;
    return i;
}

/* The last place is everybody's who came when the others were taken. */
static int route_place(struct metrics *metrics, const char *label)
{
    int i = 0;

    for (; i < METRICS_ROUTES - 1; i++) {
        const char *known =
            atomic_load_explicit(&metrics->labels[i], memory_order_relaxed);

        if (!known)
            break;
        if (known == label || strcmp(known, label) == 0)
            return i;
    }
    if (i == METRICS_ROUTES - 1)
        label = "other";
    atomic_store_explicit(&metrics->labels[i], label, memory_order_relaxed);
    return i;
}

static enum metrics_failure failure_of(int status)
{
    switch (status) {
    case 413:
    case 503:
        return METRICS_REJECTED;
    case 499: /* the client has gone */
    case 504:
        return METRICS_CANCELED;
    case 500:
        return METRICS_BACKEND;
    default:
        return METRICS_OTHER;
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
    struct model_counts *counts = &metrics->models[r->model->slot];

    if (r->status == 200)
        model_counts_success(counts, &r->times, unix_ms());
    else
        model_counts_failure(counts, failure_of(r->status),
                             r->duration_us * 1000);
}

void metrics_request(struct metrics *metrics, const struct metrics_request *r)
{
    int route = route_place(metrics, r->route ? r->route : "none");

    metrics_add(&metrics->requests[route][code_place(r->status)], 1);
    metrics_add(&metrics->seconds[route][metrics_bucket(r->duration_us)], 1);
    metrics_add(&metrics->total_us[route], r->duration_us);
    metrics_add(&metrics->received, r->received);
    metrics_add(&metrics->sent, r->sent);
    if (r->model)
        count_model(metrics, r);
}

void metrics_reject(struct metrics *metrics, enum metrics_rejection reason)
{
    metrics_add(&metrics->rejected[reason], 1);
}

static void merge_route(struct metrics *total, const struct metrics *part,
                        int from)
{
    const char *label =
        atomic_load_explicit(&part->labels[from], memory_order_relaxed);
    int to;

    if (!label)
        return;
    to = route_place(total, label);
    metrics_merge_all(total->requests[to], part->requests[from], METRICS_CODES);
    metrics_merge_all(total->seconds[to], part->seconds[from],
                      METRICS_BUCKETS + 1);
    metrics_merge_all(&total->total_us[to], &part->total_us[from], 1);
}

void metrics_merge(struct metrics *total, const struct metrics *part)
{
    for (int i = 0; i < METRICS_ROUTES; i++)
        merge_route(total, part, i);
    metrics_merge_all(&total->received, &part->received, 1);
    metrics_merge_all(&total->sent, &part->sent, 1);
    metrics_merge_all(total->rejected, part->rejected, METRICS_REJECTIONS);
    for (int i = 0; i < MODEL_SLOTS; i++)
        model_counts_merge(&total->models[i], &part->models[i]);
}
