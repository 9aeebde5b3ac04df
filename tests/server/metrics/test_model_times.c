#include <check.h>
#include <stdio.h>
#include <string.h>

#include "server/metrics/metrics.h"
#include "tests/count.h"
#include "tests/suite.h"

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

START_TEST(server_timing_has_the_stages_that_ended)
{
    char text[MODEL_TIMES_SIZE];

    model_times_print(&timings[_i].times, text);
    ck_assert_str_eq(text, timings[_i].text);
}
END_TEST

START_TEST(server_timing_names_the_stages_as_the_metrics_do)
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
END_TEST

SUITE("model_times", TEST(server_timing_names_the_stages_as_the_metrics_do),
      LOOP(server_timing_has_the_stages_that_ended, COUNT(timings)))
