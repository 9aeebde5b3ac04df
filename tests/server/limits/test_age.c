#include <check.h>

#include "server/limits/age.h"
#include "tests/suite.h"

START_TEST(no_age_is_no_end)
{
    ck_assert_uint_eq(age_end_ms(0, &(struct peer){.port = 1}, 5), 0);
}
END_TEST

START_TEST(ends_scatter_around_the_age)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (uint16_t port = 30000; port < 30200; port++) {
        uint64_t end = age_end_ms(100, &(struct peer){.port = port}, 7000);

        least = end < least ? end : least;
        most = end > most ? end : most;
    }
    ck_assert_uint_ge(least, 7000 + 90000);
    ck_assert_uint_le(most, 7000 + 110000);
    ck_assert_uint_lt(least, 7000 + 92000); /* and all of that range */
    ck_assert_uint_gt(most, 7000 + 108000);
}
END_TEST

SUITE("age", TEST(no_age_is_no_end), TEST(ends_scatter_around_the_age))
