/* Who makes room near the limit of connections. */
#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/connection.h"
#include "tests/suite.h"

enum { LIMIT = 16, NEAR = 15, EIGHTH = LIMIT / 8, SILENT_MS = 100 };

/* What a list looks at of a daemon. */
static struct service service;
static struct options options;
static atomic_int phase;
static uv_loop_t uv;
static struct loop_context loop;
static struct connection_list list;
static int far[LIMIT]; /* the clients' ends */
static int count;

static void ignore(void *context)
{
    (void)context;
}

static const struct listener_profile port = {
    .limit = LIMIT, .counted = true, .phase = &phase, .on_closed = ignore};

static void set_up(void)
{
    struct status st;

    count = 0;
    options = (struct options){.idle_timeout = 600,
                               .header_timeout = 600,
                               .max_inflight_bytes = 1 << 20};
    ck_assert(job_context_init(&service.jobs, &options, NULL, &st));
    ck_assert(address_limit_init(&service.address_limit, LIMIT, LIMIT, &st));
    uv.time = 10000;
    loop =
        (struct loop_context){.service = &service, .profile = &port, .uv = &uv};
    ck_assert(connection_list_init(&list, &loop, NULL));
}

static void tick_after(uint64_t ms)
{
    uv.time += ms;
    connection_list_check(&list);
}

static void tear_down(void)
{
    tick_after(600000); /* all have been idle for too long */
    ck_assert_uint_eq(atomic_load(&service.connections), 0);
    for (int i = 0; i < count; i++)
        close(far[i]);
    connection_list_free(&list);
    address_limit_free(&service.address_limit);
    job_context_free(&service.jobs);
}

/* Silent clients of an address, a millisecond after those before. Returns the
 * first of them in `far`. */
static int connect_silent(unsigned char address, int clients)
{
    int first = count;

    uv.time++;
    for (int i = 0; i < clients; i++) {
        struct arrival arrival = {.peer = {.address = {address}}};
        int pair[2];

        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        arrival.fd = pair[0];
        far[count++] = pair[1];
        ck_assert(address_limit_add(&service.address_limit, &arrival.peer));
        atomic_fetch_add(&service.connections, 1);
        atomic_fetch_add(&loop.open, 1);
        connection_list_arrive(&list, &arrival);
    }
    return first;
}

static bool is_open(int client)
{
    char byte;

    return recv(far[client], &byte, 1, MSG_DONTWAIT) < 0;
}

static int count_open(void)
{
    int open = 0;

    for (int i = 0; i < count; i++)
        open += is_open(i);
    return open;
}

START_TEST(below_the_limit_nobody_makes_room)
{
    connect_silent(1, NEAR - 1);
    tick_after(10 * SILENT_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
}
END_TEST

START_TEST(the_oldest_of_the_address_with_most_makes_room)
{
    int few = connect_silent(1, 3), most = connect_silent(2, NEAR - 3);

    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(!is_open(most));
    ck_assert(is_open(few));
    ck_assert_uint_eq(atomic_load(&loop.metrics.rejected[METRICS_CROWD]), 1);
}
END_TEST

START_TEST(an_eighth_is_made_free)
{
    int first = connect_silent(1, LIMIT);

    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
    for (int i = 0; i < EIGHTH; i++)
        ck_assert(!is_open(first + i));
    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
}
END_TEST

START_TEST(among_equal_addresses_the_oldest_makes_room)
{
    for (unsigned char address = 1; address <= NEAR; address++)
        connect_silent(address, 1);
    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(!is_open(0));
}
END_TEST

START_TEST(who_has_just_come_has_time_for_a_request)
{
    connect_silent(1, LIMIT);
    tick_after(SILENT_MS - 1);
    ck_assert_int_eq(count_open(), LIMIT);
    tick_after(1);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
}
END_TEST

START_TEST(an_address_with_few_keeps_them)
{
    int few = connect_silent(1, 3), many;

    uv.time += SILENT_MS;
    many = connect_silent(2, NEAR - 3);
    tick_after(0);
    ck_assert_int_eq(count_open(), NEAR);
    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(is_open(few));
    ck_assert(!is_open(many));
}
END_TEST

SUITE_WITH("crowd", set_up, tear_down, TEST(below_the_limit_nobody_makes_room),
           TEST(the_oldest_of_the_address_with_most_makes_room),
           TEST(an_eighth_is_made_free),
           TEST(among_equal_addresses_the_oldest_makes_room),
           TEST(who_has_just_come_has_time_for_a_request),
           TEST(an_address_with_few_keeps_them))
