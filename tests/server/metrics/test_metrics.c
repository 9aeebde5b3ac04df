#include <stdio.h>
#include <string.h>

#include "server/metrics/metrics.h"
#include "tests/unit.h"

/* Makes counter i of `counts` i + 1; all members are counters. */
static void fill(struct model_counts *counts)
{
    atomic_ullong *all = (atomic_ullong *)counts;

    for (size_t i = 0; i < sizeof(*counts) / sizeof(*all); i++)
        atomic_store(&all[i], i + 1);
}

UNIT_TEST(metrics_merge_every_counter_of_a_model)
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

UNIT_TEST(metrics_time_failures_in_nanoseconds)
{
    static struct metrics a;
    const struct model *model = api_models_at(api_models_builtin(), 1);

    metrics_count_request(&a, &(struct metrics_request){.status = 400,
                                                        .duration_us = 5,
                                                        .model = model});
    ck_assert_uint_eq(atomic_load(&a.models[api_model_slot(model)].failure_ns),
                      5000);
}

static const struct {
    struct model_times times;
    const char *text;
} timings[] = {
    {{.arrived = 1}, ""},
    {{.arrived = 1, .whole = 1000, .sent = 9000}, ""},
    {{.arrived = 1, .whole = 1000, .started = 2999}, "queue;dur=0.001"},
    {{.arrived = 1, .whole = 5000, .started = 4000}, "queue;dur=0.000"},
    {{.whole = 1000, .started = 10000999, .prepared = 20000999},
     "queue;dur=9.999, read;dur=10.000"},
    {{.arrived = 1,
      .whole = 1000,
      .started = 13000,
      .prepared = 3469000,
      .executed = 1003469999,
      .sent = 1003479998},
     "queue;dur=0.012, read;dur=3.456, move;dur=1000.000, write;dur=0.009"},
    {{.whole = 1,
      .started = UINT64_MAX / 4,
      .prepared = UINT64_MAX / 4 * 2,
      .executed = UINT64_MAX / 4 * 3,
      .sent = UINT64_MAX / 4 * 4},
     "queue;dur=4611686018427.387, read;dur=4611686018427.387, "
     "move;dur=4611686018427.387, write;dur=4611686018427.387"},
};

LOOP_TEST(server_timing_has_the_stages_that_ended, COUNT(timings))
{
    char text[MODEL_TIMES_SIZE];

    model_times_print(&timings[_i].times, text);
    ck_assert_str_eq(text, timings[_i].text);
}

UNIT_TEST(server_timing_names_the_stages_as_the_metrics_do)
{
    const struct model_times times = {
        .whole = 1, .started = 1, .prepared = 1, .executed = 1, .sent = 1};
    char text[MODEL_TIMES_SIZE], expected[MODEL_TIMES_SIZE] = "";

    for (int i = 0; i < MODEL_STAGES; i++) {
        size_t len = strlen(expected);

        snprintf(expected + len, sizeof(expected) - len, "%s%s;dur=0.000",
                 i > 0 ? ", " : "", model_stage_names[i]);
    }
    model_times_print(&times, text);
    ck_assert_str_eq(text, expected);
}
