#include <check.h>

#include "server/limits/handshake_share.h"
#include "tests/suite.h"

enum { MS = 1000000, SHARE = 10 * MS };

static struct handshake_share share;

static void reset(void)
{
    share = (struct handshake_share){0};
}

static bool take(uint64_t now_ms, uint64_t taken_ns)
{
    return handshake_share_take(&share, now_ms, taken_ns, SHARE);
}

/* 10 ms are 100 starts of 0.1 ms. */
START_TEST(share_is_what_may_start_at_once)
{
    for (int i = 0; i < 100; i++)
        ck_assert(take(1000, 0));
    ck_assert(!take(1000, 0));
    ck_assert_int_eq(share.left_ns, 0);
    ck_assert(take(1001, 0)); /* 0.1 ms more */
    ck_assert(!take(1001, 0));
}
END_TEST

START_TEST(share_is_reduced_by_what_handshakes_took)
{
    ck_assert(take(1000, 0));
    ck_assert(take(1000, 5 * MS));
    ck_assert_int_eq(share.left_ns, 5 * MS - 2 * HANDSHAKE_SHARE_START_NS);
    ck_assert(!take(1000, 10 * MS));
    ck_assert(!take(1000, 10 * MS)); /* counted once */
    ck_assert_int_eq(share.left_ns, -2 * HANDSHAKE_SHARE_START_NS);
}
END_TEST

/* One that takes 35 ms is paid for: the next starts when 25 ms are back. */
START_TEST(share_has_debts)
{
    ck_assert(take(1000, 0));
    share.left_ns = SHARE;
    ck_assert(!take(1100, 45 * MS));
    ck_assert_int_eq(share.left_ns, -25 * MS);
    ck_assert(!take(1200, 45 * MS));
    ck_assert(!take(1300, 45 * MS));
    ck_assert(!take(1350, 45 * MS));
    ck_assert_int_eq(share.left_ns, 0);
    ck_assert(take(1351, 45 * MS));
}
END_TEST

START_TEST(share_does_not_grow_in_silence)
{
    ck_assert(take(1000, 0));
    ck_assert(take(900000, 0));
    ck_assert_int_eq(share.left_ns, SHARE - HANDSHAKE_SHARE_START_NS);
}
END_TEST

SUITE_WITH("handshake_share", reset, NULL,
           TEST(share_is_what_may_start_at_once),
           TEST(share_is_reduced_by_what_handshakes_took),
           TEST(share_has_debts), TEST(share_does_not_grow_in_silence))
