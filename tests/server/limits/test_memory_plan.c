#include <string.h>

#include "server/limits/memory_plan.h"
#include "tests/unit.h"

#define MIB (INT64_C(1) << 20)

/* 256 MiB, 8 loops, 2 workers: 17 MiB of base, 12.5 MiB of JSON, 95 sockets
 * that wait, and 90 % are 241591860 bytes. */
static struct memory_plan_setup setup;
static struct memory_plan plan;
static struct status st;

enum {
    BASE = (8 + 8 + 1) << 20,
    JSON = 10 * (1280 << 10),
    LIMIT = 241591860,
    WAITING = (2 * 64 + 6) << 10,
    WAIT = (LIMIT - BASE - JSON) / 16 / WAITING * WAITING,
    LEFT = LIMIT - BASE - JSON - WAIT,
    ONE = (32 + 8 + 64 + 6 + 2 * (64 + 64)) << 10,
};

static void set_up(void)
{
    setup = (struct memory_plan_setup){
        .memory = 256 * MIB, .files = 1 << 20, .loops = 8, .workers = 2};
}

static void make(void)
{
    ck_assert_msg(memory_plan_make(&plan, &setup, &st), "%s", st.message);
    ck_assert_int_eq(plan.total, plan.base + plan.connections + plan.waiting +
                                     plan.inflight + plan.json);
    ck_assert_int_eq(plan.connections,
                     plan.connection_count * plan.per_connection);
    ck_assert_int_eq(plan.waiting, plan.waiting_count * WAITING);
    ck_assert_int_le(plan.total, plan.limit);
}

static void expect_refusal(const char *part)
{
    ck_assert(!memory_plan_make(&plan, &setup, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, part) != NULL, "%s", st.message);
}

UNIT_TEST(plan_has_every_term)
{
    struct memory_plan without;

    make();
    ck_assert_int_eq(plan.limit, LIMIT);
    ck_assert_int_eq(plan.base, BASE);
    ck_assert_int_eq(plan.json, JSON);
    ck_assert_int_eq(plan.per_connection, ONE);
    ck_assert_int_eq(plan.waiting_count, 95);
    ck_assert_int_eq(plan.waiting, WAIT);
    ck_assert_int_eq(plan.connection_count, LEFT / 2 / ONE);
    ck_assert_int_eq(plan.inflight, LEFT - LEFT / 2 / ONE * ONE);
    ck_assert_int_eq(plan.total, plan.limit);
    without = plan;
    setup.grpc_streams = 128;
    make();
    ck_assert_int_eq(plan.base - without.base, 8 * MEMORY_PLAN_GRPC_LOOP);
    ck_assert_int_eq(plan.per_connection - without.per_connection,
                     128 * CONNECTION_COST_CLOSED_STREAM);
}

UNIT_TEST(plan_of_much_memory_has_4000_connections_or_as_many_as_files)
{
    setup.memory = 16384 * MIB;
    make();
    ck_assert_int_eq(plan.connection_count, 4000);
    ck_assert_int_eq(plan.inflight, 8192 * MIB);
    ck_assert_int_lt(plan.total, plan.limit);
    setup.files = 1024 + 3999;
    make();
    ck_assert_int_eq(plan.files, 3999);
    ck_assert_int_eq(plan.connection_count, 3999);
    setup.files = 1024 + 4001;
    make();
    ck_assert_int_eq(plan.connection_count, 4000);
    setup.files = 2;
    make();
    ck_assert_int_eq(plan.connection_count, 1);
    setup.files = 1;
    make();
    ck_assert_int_eq(plan.connection_count, 1);
}

/* A sixteenth of the memory, half of the files, 1,024, and one in any case. */
UNIT_TEST(plan_bounds_the_sockets_that_wait)
{
    const int64_t others = BASE + JSON;

    setup.memory = 16384 * MIB;
    make();
    ck_assert_int_eq(plan.waiting_count, 1024);
    setup.files = 2047;
    make();
    ck_assert_int_eq(plan.waiting_count, 1023);
    setup.files = 1 << 20;
    setup.memory = (others + 16 * INT64_C(100) * WAITING) / 90 * 100 + 200;
    make();
    ck_assert_int_eq(plan.waiting_count, 100);
    setup.memory -= 400;
    make();
    ck_assert_int_eq(plan.waiting_count, 99);
    setup.memory = (others + 9 * ONE + MIB) / 90 * 100 + 200;
    make();
    ck_assert_int_eq(plan.waiting_count, (9 * ONE + MIB) / 16 / WAITING);
    setup.files = 1;
    make();
    ck_assert_int_eq(plan.waiting_count, 1);
}

UNIT_TEST(plan_counts_tls_and_connections_of_the_admin_port)
{
    setup.tls = true;
    make();
    ck_assert_int_eq(plan.base, BASE + 4 * MIB);
    ck_assert_int_eq(plan.per_connection, ONE + (48 << 10));
    set_up();
    setup.own_connections = 64;
    make();
    ck_assert_int_eq(plan.base, BASE + 64 * ONE);
}

UNIT_TEST(plan_keeps_set_connections)
{
    setup.connections = 100;
    make();
    ck_assert_int_eq(plan.connection_count, 100);
    ck_assert_int_eq(plan.inflight, setup.memory / 2);
    setup.connections = (LEFT - MIB) / ONE;
    make();
    ck_assert_int_eq(plan.inflight, LEFT - setup.connections * ONE);
    setup.connections++;
    expect_refusal("--max-connections");
}

UNIT_TEST(plan_keeps_set_bytes)
{
    setup.inflight = MIB;
    make();
    ck_assert_int_eq(plan.inflight, MIB);
    ck_assert_int_eq(plan.connection_count, (LEFT - MIB) / ONE);
    setup.inflight = LEFT - 8 * ONE;
    make();
    ck_assert_int_eq(plan.connection_count, 8);
    ck_assert_int_eq(plan.total, LIMIT);
    setup.inflight++;
    expect_refusal("--max-inflight-bytes");
}

UNIT_TEST(plan_refuses_both_when_they_do_not_fit)
{
    setup.connections = 10;
    setup.inflight = LEFT - 10 * ONE;
    make();
    setup.inflight++;
    expect_refusal("268435456 bytes of memory are too few: base 17825792 + 10 "
                   "connections of 374784 (--max-connections) + 95 sockets "
                   "that wait, of 137216, + in flight "
                   "193875509 (--max-inflight-bytes) + JSON 13107200 = "
                   "241591861, but 90 % of the memory are 241591860");
}

UNIT_TEST(plan_refuses_memory_that_is_too_small_and_does_not_overflow)
{
    setup.memory = 25 * MIB;
    setup.loops = setup.workers = 1;
    make();
    setup.memory = 10 * MIB;
    expect_refusal("10485760 bytes of memory are too few");
    setup.connections = 1 << 20;
    setup.inflight = INT64_C(1) << 50;
    setup.loops = 256;
    setup.workers = 1024;
    expect_refusal("1125899906842624");
}

FIXTURE(set_up, NULL)
