#include "server/metrics/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void counter_add(atomic_ullong *counter, uint64_t amount)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);

    atomic_store_explicit(counter, now + amount, memory_order_relaxed);
}

/* Adds an array, or a struct of nothing else, of `size` bytes. */
static void counters_merge(void *total, const void *part, size_t size)
{
    const atomic_ullong *from = part;
    atomic_ullong *to = total;

    for (size_t i = 0; i < size / sizeof(*to); i++)
        counter_add(&to[i], counter_value(&from[i]));
}

/* A tiny request takes some 10 µs, 256 MiB some 100 ms; a request that takes
 * more than 10 s has a slow client. */
const uint64_t histogram_bounds_us[HISTOGRAM_BUCKETS] = {
    25,    50,    100,   250,    500,    1000,    2500,    5000,
    10000, 25000, 50000, 100000, 250000, 1000000, 2500000, 10000000,
};

static void histogram_add(struct histogram *histogram, uint64_t ns)
{
    int i = 0;

    while (i < HISTOGRAM_BUCKETS && ns / 1000 > histogram_bounds_us[i])
        i++;
    counter_add(&histogram->buckets[i], 1);
    counter_add(&histogram->sum_ns, ns);
}

const char *const model_stage_names[MODEL_STAGES] = {
    [MODEL_QUEUE] = "queue",
    [MODEL_INPUT] = "read",
    [MODEL_INFER] = "move",
    [MODEL_OUTPUT] = "write",
};

static uint64_t elapsed(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

bool model_times_stage(const struct model_times *t, enum model_stage stage,
                       uint64_t *ns)
{
    const uint64_t moments[] = {t->whole, t->started, t->prepared, t->executed,
                                t->sent};
    uint64_t from = moments[stage], to = moments[stage + 1];

    *ns = elapsed(from, to);
    return from > 0 && to > 0;
}

/* What stands before a number. Copied by whole entries: this is done for every
 * inference, and a third of the header's cost would be its text otherwise. */
enum { START = 10 };
static const char starts[MODEL_STAGES][START + 1] = {
    [MODEL_QUEUE] = "queue;dur=",
    [MODEL_INPUT] = "read;dur=",
    [MODEL_INFER] = "move;dur=",
    [MODEL_OUTPUT] = "write;dur=",
};

/* Milliseconds with three digits behind the point. */
static char *put_ms(char *at, uint64_t us)
{
    uint64_t whole = us / 1000;
    unsigned rest = (unsigned)(us - whole * 1000);

    if (whole < 10)
        *at++ = (char)('0' + whole);
    else
        at += sprintf(at, "%" PRIu64, whole);
    *at++ = '.';
    *at++ = (char)('0' + rest / 100);
    *at++ = (char)('0' + rest / 10 % 10);
    *at++ = (char)('0' + rest % 10);
    return at;
}

void model_times_print(const struct model_times *times,
                       char text[MODEL_TIMES_SIZE])
{
    char *at = text;
    uint64_t ns;

    for (enum model_stage i = 0; i < MODEL_STAGES; i++) {
        if (!model_times_stage(times, i, &ns))
            continue;
        if (at > text) {
            *at++ = ',';
            *at++ = ' ';
        }
        memcpy(at, starts[i], START);
        /* The two longest names end at the tenth byte. */
        at = put_ms(at + START - (starts[i][START - 1] == '\0'), ns / 1000);
    }
    *at = '\0';
}

/* Unsigned: adding 2^64 - 1 subtracts 1. */
void model_counts_pending(struct model_counts *counts, int change)
{
    counter_add(&counts->pending, (uint64_t)(int64_t)change);
}

void model_counts_merge(struct model_counts *total,
                        const struct model_counts *part)
{
    uint64_t last = counter_value(&total->last_ms);
    uint64_t other = counter_value(&part->last_ms);

    counters_merge(total, part, sizeof(*total));
    atomic_store_explicit(&total->last_ms, other > last ? other : last,
                          memory_order_relaxed);
}

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

/* Index of the label, added if it is new. Once all rows but one are in use, new
 * labels share the last row, "other". */
static int find_route(struct metrics *metrics, const char *label)
{
    const char *here;
    int i = 0;

    for (; i < METRICS_ROUTES - 1; i++) {
        here = atomic_load_explicit(&metrics->labels[i], memory_order_relaxed);
        if (here == label || (here && strcmp(here, label) == 0))
            return i;
        if (!here)
            break;
    }
    atomic_store_explicit(&metrics->labels[i],
                          i < METRICS_ROUTES - 1 ? label : "other",
                          memory_order_relaxed);
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

static void count_model(struct metrics *metrics,
                        const struct metrics_request *r)
{
    struct model_counts *counts = &metrics->models[api_model_slot(r->model)];
    struct timespec now;
    uint64_t ns;

    if (r->status != 200) {
        counter_add(&counts->failures[failure_of(r->status)], 1);
        counter_add(&counts->failure_ns, r->duration_us * 1000);
        return;
    }
    counter_add(&counts->success, 1);
    counter_add(&counts->success_ns, elapsed(r->times.whole, r->times.sent));
    for (enum model_stage i = 0; i < MODEL_STAGES; i++) {
        model_times_stage(&r->times, i, &ns);
        histogram_add(&counts->stages[i], ns);
    }
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    atomic_store_explicit(&counts->last_ms,
                          (uint64_t)now.tv_sec * 1000 +
                              (uint64_t)now.tv_nsec / 1000000,
                          memory_order_relaxed);
}

void metrics_count_request(struct metrics *metrics,
                           const struct metrics_request *r)
{
    int route = find_route(metrics, r->route ? r->route : "none");
    int code = 0;

    while (metrics_codes[code] && metrics_codes[code] != r->status)
        code++;
    counter_add(&metrics->requests[route][code], 1);
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

void metrics_merge(struct metrics *total, const struct metrics *part)
{
    for (int i = 0; i < METRICS_ROUTES; i++) {
        const char *label =
            atomic_load_explicit(&part->labels[i], memory_order_relaxed);
        int to;

        if (!label)
            continue;
        to = find_route(total, label);
        counters_merge(total->requests[to], part->requests[i],
                       sizeof(total->requests[to]));
        counters_merge(&total->seconds[to], &part->seconds[i],
                       sizeof(total->seconds[to]));
    }
    counter_add(&total->received, counter_value(&part->received));
    counter_add(&total->sent, counter_value(&part->sent));
    counters_merge(total->rejected, part->rejected, sizeof(total->rejected));
    for (int i = 0; i < API_MODEL_SLOTS; i++)
        model_counts_merge(&total->models[i], &part->models[i]);
}
