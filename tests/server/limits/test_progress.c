
#include "server/limits/budget.h"
#include "server/limits/progress.h"
#include "tests/unit.h"

static struct progress progress;
static uint64_t now_ms;

static void set_up(void)
{
    progress = (struct progress){.started = false};
    now_ms = 5000;
}

/* One check a second, the first at once if there was none before; the rate is
 * in bytes a second. Returns how many checks find the client fast enough, at
 * most `most`. */
static int run(uint64_t rate, uint64_t window_ms, unsigned pressure, int most)
{
    uint64_t moved = progress.last_bytes;

    for (int count = 0; count < most; count++) {
        if (progress.started) {
            now_ms += 1000;
            moved += rate;
        }
        if (!progress_check(&progress, now_ms, moved, window_ms, pressure))
            return count;
    }
    return most;
}

static const struct {
    int checks; /* before, at a high rate and without pressure */
    uint64_t rate, window_ms;
    unsigned pressure;
    int most, passed; /* checks */
} runs[] = {
    {0, 1024, 10000, 0, 1000, 1000},
    {0, 1023, 10000, 0, 1000, 10},
    {0, 1023, 3000, 0, 1000, 3}, /* a shorter window */
    {0, 1024, 1000, 0, 1000, 1000},
    /* A pause of 9 seconds is allowed, however much was moved before. */
    {100, 0, 10000, 0, 1000, 9},
    {0, 64 << 10, 10000, 1000, 100, 100}, /* the greatest pressure */
    /* That begins late: it is judged over the last second, not from the
     * beginning of the window. */
    {5, 2047, 10000, 1, 100, 0},
};

LOOP_TEST(progress_is_judged_by_rate_window_and_pressure, COUNT(runs))
{
    ck_assert_int_eq(run(100 << 20, 10000, 0, runs[_i].checks),
                     runs[_i].checks);
    ck_assert_int_eq(run(runs[_i].rate, runs[_i].window_ms, runs[_i].pressure,
                         runs[_i].most),
                     runs[_i].passed);
}

UNIT_TEST(progress_of_bursts_is_averaged)
{
    uint64_t moved = 0;

    for (int second = 0; second <= 1000; second++, now_ms += 1000) {
        if (second % 5 == 0)
            moved += 5 * 1024;
        ck_assert(progress_check(&progress, now_ms, moved, 10000, 0));
    }
}

LOOP_TEST(progress_doubles_with_pressure, BUDGET_PRESSURE_MAX)
{
    unsigned pressure = (unsigned)_i + 1;
    uint64_t rate = UINT64_C(1024) << pressure;

    ck_assert_int_eq(run(rate, 10000, pressure, 100), 100);
    set_up();
    ck_assert_int_eq(run(rate - 1, 10000, pressure, 100), 1);
}

/* Whether or not the pressure is new. */
UNIT_TEST(progress_under_pressure_is_of_the_last_second_and_may_go_back)
{
    uint64_t moved = 0;

    for (int i = 0; i < 5; i++, now_ms += 1000, moved += 100 << 20)
        ck_assert(progress_check(&progress, now_ms, moved, 10000, 1));
    moved -= 100 << 20;
    ck_assert(progress_check(&progress, now_ms, moved + 2048, 10000, 1));
    ck_assert(
        !progress_check(&progress, now_ms + 1000, moved + 4095, 10000, 1));
    set_up();
    /* The overhead of TLS is in one count and not in the other. */
    ck_assert(progress_check(&progress, 1000, 5000, 10000, 0));
    ck_assert(progress_check(&progress, 2000, 4000, 10000, 0));
    ck_assert(!progress_check(&progress, 3000, 3000, 10000, 1));
}

FIXTURE(set_up, NULL)
