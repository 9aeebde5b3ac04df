#include "server/metrics.h"

#include <string.h>

#include "server/metrics_table.h"

/* The only writer adds: no other thread can come between. */
static void add(atomic_ullong *counter, uint64_t amount)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);

    atomic_store_explicit(counter, now + amount, memory_order_relaxed);
}

static int code_place(int status)
{
    int i = 0;

    while (metrics_codes[i] && metrics_codes[i] != status)
        i++;
    return i;
}

static int bucket_place(uint64_t duration_us)
{
    int i = 0;

    while (i < METRICS_BUCKETS && duration_us > metrics_bucket_us[i])
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

static int op_place(const struct op *op)
{
    int i = 0;

    while (i < METRICS_OPS && op_table[i] && op_table[i] != op)
        i++;
    return i < METRICS_OPS && op_table[i] ? i : -1;
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

void metrics_request(struct metrics *metrics, const struct metrics_request *r)
{
    int op = r->op ? op_place(r->op) : -1;
    int route = route_place(metrics, r->route ? r->route : "none");

    add(&metrics->requests[route][code_place(r->status)], 1);
    add(&metrics->seconds[route][bucket_place(r->duration_us)], 1);
    add(&metrics->total_us[route], r->duration_us);
    add(&metrics->received, r->received);
    add(&metrics->sent, r->sent);
    if (op >= 0 && r->status == 200)
        add(&metrics->op_success[op], 1);
    else if (op >= 0)
        add(&metrics->op_failure[op][failure_of(r->status)], 1);
}

void metrics_reject(struct metrics *metrics, enum metrics_rejection reason)
{
    add(&metrics->rejected[reason], 1);
}

static void merge_all(atomic_ullong *total, const atomic_ullong *part,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(&total[i], atomic_load_explicit(&part[i], memory_order_relaxed));
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
    merge_all(total->requests[to], part->requests[from], METRICS_CODES);
    merge_all(total->seconds[to], part->seconds[from], METRICS_BUCKETS + 1);
    merge_all(&total->total_us[to], &part->total_us[from], 1);
}

void metrics_merge(struct metrics *total, const struct metrics *part)
{
    for (int i = 0; i < METRICS_ROUTES; i++)
        merge_route(total, part, i);
    merge_all(&total->received, &part->received, 1);
    merge_all(&total->sent, &part->sent, 1);
    merge_all(total->rejected, part->rejected, METRICS_REJECTIONS);
    merge_all(total->op_success, part->op_success, METRICS_OPS);
    for (int i = 0; i < METRICS_OPS; i++)
        merge_all(total->op_failure[i], part->op_failure[i], METRICS_FAILURES);
}
