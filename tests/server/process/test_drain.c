#include <check.h>

#include "server/process/drain.h"
#include "tests/count.h"
#include "tests/suite.h"

/* After each event: the state and the timer, which is -2 where nothing
 * changes. */
struct step {
    enum drain_event event;
    enum drain_state state;
    int64_t timer_ms;
};

static const struct {
    bool has_admin;
    int64_t delay_ms;
    struct step steps[9];
    int count;
} cases[] = {
    {false,
     0,
     {{DRAIN_ON_TIMER, DRAIN_SERVING, -2},
      {DRAIN_ON_PORT_DONE, DRAIN_SERVING, -2},
      {DRAIN_ON_SIGNAL, DRAIN_REFUSING, 100},
      {DRAIN_ON_TIMER, DRAIN_STOPPING, 30000},
      {DRAIN_ON_PORT_DONE, DRAIN_ENDED, -1},
      {DRAIN_ON_SIGNAL, DRAIN_ENDED, -2}},
     6},
    {true,
     5000,
     {{DRAIN_ON_SIGNAL, DRAIN_DELAY, 5000},
      {DRAIN_ON_TIMER, DRAIN_REFUSING, 100},
      {DRAIN_ON_TIMER, DRAIN_STOPPING, 30000},
      {DRAIN_ON_ADMIN_DONE, DRAIN_STOPPING, -2},
      {DRAIN_ON_PORT_DONE, DRAIN_ADMIN, 200},
      {DRAIN_ON_TIMER, DRAIN_ADMIN_ABORTING, -1},
      {DRAIN_ON_TIMER, DRAIN_ADMIN_ABORTING, -2},
      {DRAIN_ON_ADMIN_DONE, DRAIN_ENDED, -1}},
     8},
    {false,
     0,
     {{DRAIN_ON_SIGNAL, DRAIN_REFUSING, 100},
      {DRAIN_ON_TIMER, DRAIN_STOPPING, 30000},
      {DRAIN_ON_TIMER, DRAIN_ABORTING, 2000},
      {DRAIN_ON_SIGNAL, DRAIN_ABORTING, -2},
      {DRAIN_ON_TIMER, DRAIN_STUCK, -1}},
     5},
    {false,
     5000,
     {{DRAIN_ON_SIGNAL, DRAIN_DELAY, 5000},
      {DRAIN_ON_SIGNAL, DRAIN_ABORTING, 2000},
      {DRAIN_ON_PORT_DONE, DRAIN_ENDED, -1}},
     3},
    {true,
     0,
     {{DRAIN_ON_SIGNAL, DRAIN_REFUSING, 100},
      {DRAIN_ON_TIMER, DRAIN_STOPPING, 30000},
      {DRAIN_ON_SIGNAL, DRAIN_ABORTING, 2000},
      {DRAIN_ON_PORT_DONE, DRAIN_ADMIN, 200},
      {DRAIN_ON_SIGNAL, DRAIN_ADMIN_ABORTING, -1},
      {DRAIN_ON_ADMIN_DONE, DRAIN_ENDED, -1}},
     6},
};

START_TEST(drain_takes_its_steps)
{
    struct drain_machine machine = {.delay_ms = cases[_i].delay_ms,
                                    .exit_ms = 30000,
                                    .has_admin = cases[_i].has_admin};

    for (int i = 0; i < cases[_i].count; i++) {
        const struct step *step = &cases[_i].steps[i];
        int64_t timer_ms = -2;

        ck_assert_int_eq(drain_machine_on(&machine, step->event, &timer_ms),
                         step->timer_ms != -2);
        ck_assert_int_eq(machine.state, step->state);
        ck_assert_int_eq(timer_ms, step->timer_ms);
    }
}
END_TEST

/* The sum of the longest steps of the cases above. */
START_TEST(drain_knows_how_long_it_takes_at_most)
{
    struct drain_machine machine = {.delay_ms = 5000, .exit_ms = 30000};

    ck_assert_int_eq(drain_machine_limit_ms(&machine),
                     5000 + 100 + 30000 + 2000);
    machine.has_admin = true;
    ck_assert_int_gt(drain_machine_limit_ms(&machine),
                     5000 + 100 + 30000 + 2000 + 200);
}
END_TEST

SUITE("drain", LOOP(drain_takes_its_steps, COUNT(cases)),
      TEST(drain_knows_how_long_it_takes_at_most))
