#include <check.h>

#include "server/metrics/metrics.h"
#include "tests/suite.h"

/* Makes counter i of `counts` i + 1; all members are counters. */
static void fill(struct model_counts *counts)
{
    atomic_ullong *all = (atomic_ullong *)counts;

    for (size_t i = 0; i < sizeof(*counts) / sizeof(*all); i++)
        atomic_store(&all[i], i + 1);
}

START_TEST(metrics_merge_every_counter_of_a_model)
{
    struct model_counts part, total = {0};
    const atomic_ullong *of_part = (const atomic_ullong *)&part;
    const atomic_ullong *of_total = (const atomic_ullong *)&total;

    fill(&part);
    model_counts_merge(&total, &part);
    ck_assert_mem_eq(&total, &part, sizeof(total));
    model_counts_merge(&total, &part);
    for (size_t i = 0; i < sizeof(part) / sizeof(*of_part); i++)
        if (&of_part[i] != &part.last_ms)
            ck_assert_uint_eq(of_total[i], 2 * of_part[i]);
    ck_assert_uint_eq(total.last_ms, part.last_ms);
    atomic_fetch_sub(&part.last_ms, 1);
    model_counts_merge(&total, &part);
    ck_assert_uint_eq(total.last_ms, part.last_ms + 1);
}
END_TEST

START_TEST(metrics_time_failures_in_nanoseconds)
{
    static struct metrics a;
    const struct model *model = api_models_at(api_models_builtin(), 1);

    metrics_count_request(&a, &(struct metrics_request){.status = 400,
                                                        .duration_us = 5,
                                                        .model = model});
    ck_assert_uint_eq(atomic_load(&a.models[api_model_slot(model)].failure_ns),
                      5000);
}
END_TEST

SUITE("model_counts", TEST(metrics_merge_every_counter_of_a_model),
      TEST(metrics_time_failures_in_nanoseconds))
