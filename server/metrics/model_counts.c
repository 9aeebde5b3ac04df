#include "server/metrics/model_counts.h"

#include "server/metrics/metrics_table.h"

static uint64_t from_to(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

static void count_stage(struct model_counts *counts, enum model_stage stage,
                        uint64_t ns)
{
    metrics_add(&counts->stage_ns[stage], ns);
    metrics_add(&counts->stages[stage][metrics_bucket(ns / 1000)], 1);
}

void model_counts_success(struct model_counts *counts,
                          const struct model_times *t, uint64_t now_ms)
{
    metrics_add(&counts->success, 1);
    metrics_add(&counts->success_ns, from_to(t->whole, t->sent));
    count_stage(counts, MODEL_QUEUE, from_to(t->whole, t->started));
    count_stage(counts, MODEL_INPUT, from_to(t->started, t->prepared));
    count_stage(counts, MODEL_INFER, from_to(t->prepared, t->executed));
    count_stage(counts, MODEL_OUTPUT, from_to(t->executed, t->sent));
    atomic_store_explicit(&counts->last_ms, now_ms, memory_order_relaxed);
}

void model_counts_failure(struct model_counts *counts,
                          enum metrics_failure reason, uint64_t ns)
{
    metrics_add(&counts->failures[reason], 1);
    metrics_add(&counts->failure_ns, ns);
}

/* Adding -1 to an unsigned number takes one away. */
void model_counts_pending(struct model_counts *counts, int change)
{
    metrics_add(&counts->pending, (uint64_t)(int64_t)change);
}

void model_counts_merge(struct model_counts *total,
                        const struct model_counts *part)
{
    uint64_t last = metrics_value(&part->last_ms);

    metrics_merge_all(&total->success, &part->success, 1);
    metrics_merge_all(&total->success_ns, &part->success_ns, 1);
    metrics_merge_all(&total->failure_ns, &part->failure_ns, 1);
    metrics_merge_all(&total->pending, &part->pending, 1);
    metrics_merge_all(total->failures, part->failures, METRICS_FAILURES);
    metrics_merge_all(total->stage_ns, part->stage_ns, MODEL_STAGES);
    for (int i = 0; i < MODEL_STAGES; i++)
        metrics_merge_all(total->stages[i], part->stages[i],
                          METRICS_BUCKETS + 1);
    if (last > metrics_value(&total->last_ms))
        atomic_store_explicit(&total->last_ms, last, memory_order_relaxed);
}
