#include <check.h>

#include "server/limits/crowd.h"
#include "tests/count.h"
#include "tests/suite.h"

static struct crowd crowd;

static void set_up(void)
{
    crowd = (struct crowd){.level = 0};
}

static void raise_to(unsigned level)
{
    while (crowd.level < level)
        crowd_update(&crowd, 1600, 1600);
}

START_TEST(crowd_begins_at_15_of_16_parts)
{
    crowd_update(&crowd, 1499, 1600);
    ck_assert_uint_eq(crowd.level, 0);
    crowd_update(&crowd, 1500, 1600);
    ck_assert_uint_eq(crowd.level, 1);
    crowd_update(&crowd, 1500, 1600);
    ck_assert_uint_eq(crowd.level, 2);
    crowd_update(&crowd, 1499, 1600);
    ck_assert_uint_eq(crowd.level, 1);
    crowd_update(&crowd, 0, 1600);
    crowd_update(&crowd, 0, 1600);
    ck_assert_uint_eq(crowd.level, 0);
}
END_TEST

START_TEST(crowd_of_a_small_limit_is_all_of_it)
{
    crowd_update(&crowd, 7, 8);
    ck_assert_uint_eq(crowd.level, 0);
    crowd_update(&crowd, 8, 8);
    ck_assert_uint_eq(crowd.level, 1);
    ck_assert_uint_eq(crowd_excess(&crowd, 8, 8), 1);
    raise_to(4);
    ck_assert_uint_eq(crowd_excess(&crowd, 8, 8), 2);
}
END_TEST

START_TEST(crowd_makes_more_room_with_each_level)
{
    ck_assert_uint_eq(crowd_excess(&crowd, 1600, 1600), 0);
    for (unsigned level = 1; level <= 8; level++) {
        raise_to(level);
        ck_assert_uint_eq(crowd_excess(&crowd, 1600, 1600), 100 * level);
        ck_assert_uint_eq(crowd_excess(&crowd, 1550, 1600), 100 * level - 50);
    }
    raise_to(CROWD_MAX_LEVEL);
    ck_assert_uint_eq(crowd_excess(&crowd, 1600, 1600), 800);
    ck_assert_uint_eq(crowd_excess(&crowd, 1499, 1600), 0);
}
END_TEST

START_TEST(crowd_halves_the_time_with_each_level)
{
    ck_assert_uint_eq(crowd_age_ms(&crowd, 75000, 1, 10), 75000);
    raise_to(1);
    ck_assert_uint_eq(crowd_age_ms(&crowd, 75000, 1, 10), 37500);
    ck_assert_uint_eq(crowd_age_ms(&crowd, 75000, 2, 10), 18750);
    raise_to(CROWD_MAX_LEVEL);
    ck_assert_uint_eq(crowd_age_ms(&crowd, 75000, 1, 0), 1);
    ck_assert_uint_eq(crowd_age_ms(&crowd, 75000, 2, 10), 10);
    ck_assert_uint_eq(crowd_age_ms(&crowd, 75000, 9, 0), 0);
}
END_TEST

START_TEST(crowd_has_a_greatest_level)
{
    for (int i = 0; i < 1000; i++)
        crowd_update(&crowd, 1600, 1600);
    ck_assert_uint_eq(crowd.level, CROWD_MAX_LEVEL);
}
END_TEST

START_TEST(crowd_presses_for_progress)
{
    static const unsigned wanted[] = {0, 0, 1, 1, 2, 2, 3, 3, 3, 3};

    for (unsigned level = 0; level < (unsigned)COUNT(wanted); level++) {
        raise_to(level);
        ck_assert_uint_eq(crowd_pressure(&crowd), wanted[level]);
    }
}
END_TEST

SUITE_WITH("crowd", set_up, NULL, TEST(crowd_begins_at_15_of_16_parts),
           TEST(crowd_of_a_small_limit_is_all_of_it),
           TEST(crowd_makes_more_room_with_each_level),
           TEST(crowd_halves_the_time_with_each_level),
           TEST(crowd_has_a_greatest_level), TEST(crowd_presses_for_progress))
