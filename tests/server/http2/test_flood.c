#include <check.h>

#include "server/http2/flood.h"
#include "tests/suite.h"

static struct flood flood;

/* How many of a kind pass at this time. */
static int count(bool (*ask)(struct flood *, uint64_t), uint64_t now_ms)
{
    int passed = 0;

    while (passed < 1000000 && ask(&flood, now_ms))
        passed++;
    return passed;
}

START_TEST(a_second_of_resets_is_free_at_once)
{
    flood_init(&flood, 500, 1000);
    ck_assert_int_eq(count(flood_reset, 1000), 500);
    ck_assert_int_eq(count(flood_reset, 1000), 0);
}
END_TEST

START_TEST(time_gives_resets_back)
{
    flood_init(&flood, 500, 1000);
    count(flood_reset, 1000);
    ck_assert_int_eq(count(flood_reset, 1001), 0); /* half of one */
    ck_assert_int_eq(count(flood_reset, 1002), 1);
    ck_assert_int_eq(count(flood_reset, 1102), 50);
    ck_assert_int_eq(count(flood_reset, 900000), 500); /* no more is saved */
}
END_TEST

START_TEST(resets_within_the_rate_never_end)
{
    flood_init(&flood, 500, 0);
    for (uint64_t ms = 0; ms < 100000; ms += 2)
        if (!flood_reset(&flood, ms))
            ck_abort_msg("refused at %d ms", (int)ms);
}
END_TEST

START_TEST(frames_have_a_bucket_of_their_own)
{
    flood_init(&flood, 500, 0);
    ck_assert_int_eq(count(flood_frame, 0), FLOOD_FRAMES_MAX);
    ck_assert_int_eq(count(flood_reset, 0), 500);
    ck_assert_int_eq(count(flood_frame, 1000), FLOOD_FRAMES);
}
END_TEST

START_TEST(requests_earn_frames)
{
    flood_init(&flood, 500, 0);
    count(flood_frame, 0);
    flood_earn(&flood);
    ck_assert_int_eq(count(flood_frame, 0), FLOOD_EARNED);
    for (int i = 0; i < 100000; i++)
        flood_earn(&flood);
    ck_assert_int_eq(count(flood_frame, 0), FLOOD_FRAMES_MAX);
}
END_TEST

SUITE("flood", TEST(a_second_of_resets_is_free_at_once),
      TEST(time_gives_resets_back), TEST(resets_within_the_rate_never_end),
      TEST(frames_have_a_bucket_of_their_own), TEST(requests_earn_frames))
