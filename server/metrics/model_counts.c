#include "server/metrics/model_counts.h"

const char *const model_failure_labels[MODEL_FAILURES] = {
    [MODEL_REJECTED] = "REJECTED",
    [MODEL_CANCELED] = "CANCELED",
    [MODEL_BACKEND] = "BACKEND",
    [MODEL_OTHER] = "OTHER",
};

const char *const model_stage_names[MODEL_STAGES] = {
    [MODEL_QUEUE] = "queue",
    [MODEL_INPUT] = "read",
    [MODEL_INFER] = "move",
    [MODEL_OUTPUT] = "write",
};

const char *const model_stage_statistics[MODEL_STAGES] = {
    [MODEL_QUEUE] = "queue",
    [MODEL_INPUT] = "compute_input",
    [MODEL_INFER] = "compute_infer",
    [MODEL_OUTPUT] = "compute_output",
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

void model_counts_success(struct model_counts *counts,
                          const struct model_times *t, uint64_t now_ms)
{
    counter_add(&counts->success, 1);
    counter_add(&counts->success_ns, elapsed(t->whole, t->sent));
    histogram_add(&counts->stages[MODEL_QUEUE], elapsed(t->whole, t->started));
    histogram_add(&counts->stages[MODEL_INPUT],
                  elapsed(t->started, t->prepared));
    histogram_add(&counts->stages[MODEL_INFER],
                  elapsed(t->prepared, t->executed));
    histogram_add(&counts->stages[MODEL_OUTPUT], elapsed(t->executed, t->sent));
    atomic_store_explicit(&counts->last_ms, now_ms, memory_order_relaxed);
}

void model_counts_failure(struct model_counts *counts,
                          enum model_failure reason, uint64_t ns)
{
    counter_add(&counts->failures[reason], 1);
    counter_add(&counts->failure_ns, ns);
}

/* Unsigned: adding 2^64 - 1 subtracts 1. */
void model_counts_pending(struct model_counts *counts, int change)
{
    counter_add(&counts->pending, (uint64_t)(int64_t)change);
}

void model_counts_merge(struct model_counts *total,
                        const struct model_counts *part)
{
    uint64_t last = counter_value(&part->last_ms);

    counter_merge(&total->success, &part->success, 1);
    counter_merge(&total->success_ns, &part->success_ns, 1);
    counter_merge(&total->failure_ns, &part->failure_ns, 1);
    counter_merge(&total->pending, &part->pending, 1);
    counter_merge(total->failures, part->failures, MODEL_FAILURES);
    for (int i = 0; i < MODEL_STAGES; i++)
        histogram_merge(&total->stages[i], &part->stages[i]);
    if (last > counter_value(&total->last_ms))
        atomic_store_explicit(&total->last_ms, last, memory_order_relaxed);
}
