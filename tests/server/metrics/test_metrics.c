#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "server/metrics/metrics.h"
#include "tests/unit.h"

static struct metrics a;

UNIT_TEST(metrics_merge_every_counter_of_a_model)
{
    struct model_counts part, total = {0};
    atomic_ullong *of_part = (atomic_ullong *)&part;
    const atomic_ullong *of_total = (const atomic_ullong *)&total;

    for (size_t i = 0; i < sizeof(part) / sizeof(*of_part); i++)
        atomic_store(&of_part[i], i + 1); /* all members are counters */
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

/* Every counter of every row, and none behind them. */
UNIT_TEST(metrics_merge_all_rows)
{
    static struct {
        struct metrics all;
        struct model_counts behind;
    } part, total;
    static const struct model_counts none;
    static char labels[METRICS_ROUTES][8];
    atomic_ullong *counters = &part.all.requests[0][0];
    const size_t count =
        (sizeof(part) - offsetof(struct metrics, requests)) / sizeof(*counters);

    for (size_t i = 0; i < METRICS_ROUTES - 1; i++) {
        snprintf(labels[i], sizeof(labels[i]), "/%zu", i);
        atomic_store(&part.all.labels[i], labels[i]);
    }
    atomic_store(&part.all.labels[METRICS_ROUTES - 1], "other");
    for (size_t i = 0; i < count; i++)
        atomic_store(&counters[i], i + 1);
    metrics_merge(&total.all, &part.all);
    ck_assert_mem_eq(&total.all.requests, &part.all.requests,
                     sizeof(part.all) - offsetof(struct metrics, requests));
    for (size_t i = 0; i < METRICS_ROUTES; i++)
        ck_assert_str_eq(total.all.labels[i], part.all.labels[i]);
    ck_assert_mem_eq(&total.behind, &none, sizeof(none));
}

/* The clock says this. */
static const struct timespec moment = {1770091506, 999999999};

int clock_gettime(clockid_t id, struct timespec *now)
{
    if (id != CLOCK_REALTIME_COARSE)
        return (int)syscall(SYS_clock_gettime, id, now);
    *now = moment;
    return 0;
}

UNIT_TEST(metrics_count_a_success_and_nothing_else)
{
    static struct metrics want;
    const struct model *model = api_models_at(api_models_builtin(), 1);
    struct model_counts *counts = &want.models[api_model_slot(model)];
    const struct metrics_request request = {.route = "/i",
                                            .status = 200,
                                            .duration_us = 26,
                                            .received = 3,
                                            .sent = 5,
                                            .model = model,
                                            .times = {.arrived = 500,
                                                      .whole = 1000,
                                                      .started = 26000,
                                                      .prepared = 52000,
                                                      .executed = 10000052000,
                                                      .sent = 20000053000}};
    static const struct {
        int bucket;
        uint64_t ns;
    } stages[MODEL_STAGES] = {
        {0, 25000}, {1, 26000}, {15, 10000000000}, {16, 10000001000}};

    want.labels[0] = request.route;
    want.requests[0][0] = 1;
    want.seconds[0].buckets[1] = 1;
    want.seconds[0].sum_ns = 26000;
    want.received = 3;
    want.sent = 5;
    counts->success = 1;
    counts->success_ns = 20000052000;
    counts->last_ms = 1770091506999;
    for (int i = 0; i < MODEL_STAGES; i++) {
        counts->stages[i].buckets[stages[i].bucket] = 1;
        counts->stages[i].sum_ns = stages[i].ns;
    }
    metrics_count_request(&a, &request);
    ck_assert_mem_eq(&a, &want, sizeof(a));
    metrics_count_request(&a, &(struct metrics_request){.status = 400,
                                                        .duration_us = 5,
                                                        .model = model});
    ck_assert_uint_eq(atomic_load(&a.models[api_model_slot(model)].failure_ns),
                      5000);
}

/* A bucket includes its bound; of the last bucket there is none. */
UNIT_TEST(metrics_count_a_time_in_one_bucket)
{
    struct metrics_request request = {.route = "/i", .status = 200};

    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
        request.duration_us = histogram_bounds_us[i];
        metrics_count_request(&a, &request);
        ck_assert_uint_eq(a.seconds[0].buckets[i], i > 0 ? 2 : 1);
        request.duration_us++;
        metrics_count_request(&a, &request);
        ck_assert_uint_eq(a.seconds[0].buckets[i + 1], 1);
    }
    request.duration_us = UINT64_MAX / 1000;
    metrics_count_request(&a, &request);
    ck_assert_uint_eq(a.seconds[0].buckets[HISTOGRAM_BUCKETS], 2);
}

/* By its text, wherever that stands. */
UNIT_TEST(metrics_have_one_row_for_a_label)
{
    static const char labels[][4] = {"/a", "/b", "/a", "/b", "/ab", "/a"};
    static const struct {
        const char *label;
        uint64_t count;
    } rows[] = {{"/a", 3}, {"/b", 2}, {"/ab", 1}, {"none", 1}};

    for (size_t i = 0; i < COUNT(labels); i++)
        metrics_count_request(
            &a, &(struct metrics_request){.route = labels[i], .status = 200});
    metrics_count_request(&a, &(struct metrics_request){.status = 200});
    for (size_t i = 0; i < COUNT(rows); i++) {
        ck_assert_str_eq(a.labels[i], rows[i].label);
        ck_assert_uint_eq(a.requests[i][0], rows[i].count);
    }
    ck_assert_ptr_null(a.labels[COUNT(rows)]);
}

/* Each status has a column of its own; the last is that of all others. */
UNIT_TEST(metrics_have_a_column_for_each_status)
{
    for (int i = 0; i < METRICS_CODES; i++)
        metrics_count_request(
            &a, &(struct metrics_request){
                    .status = metrics_codes[i] ? metrics_codes[i] : 418});
    for (int i = 0; i < METRICS_CODES; i++)
        ck_assert_uint_eq(a.requests[0][i], 1);
}

UNIT_TEST(stages_never_take_less_than_nothing)
{
    const struct model_times times = {.whole = 2, .started = 1, .prepared = 9};
    uint64_t ns;

    ck_assert(model_times_stage(&times, MODEL_QUEUE, &ns));
    ck_assert_uint_eq(ns, 0);
    ck_assert(model_times_stage(&times, MODEL_INPUT, &ns));
    ck_assert_uint_eq(ns, 8);
    ck_assert(!model_times_stage(&times, MODEL_INFER, &ns));
}

UNIT_TEST(server_timing_has_three_digits_of_milliseconds)
{
    char text[MODEL_TIMES_SIZE], want[MODEL_TIMES_SIZE];

    for (unsigned us = 0; us < 12000; us++) {
        const struct model_times times = {.whole = 1,
                                          .started = us * UINT64_C(1000) + 1};

        model_times_print(&times, text);
        snprintf(want, sizeof(want), "queue;dur=%u.%03u", us / 1000, us % 1000);
        if (strcmp(text, want) != 0)
            ck_abort_msg("%s, but %s is expected", text, want);
    }
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
