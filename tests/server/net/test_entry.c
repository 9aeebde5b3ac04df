#include <check.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/limits/connection_cost.h"
#include "server/net/entry.h"
#include "tests/suite.h"

/* A port of 32 connections, so that the last two are kept for addresses below
 * their share. Its loop does not run: the tests receive the arrivals. */

enum { LIMIT = 32, NEAR = 30 };

static struct service service;
static struct listener_profile profile;
static struct metrics metrics;
static struct loop loop;
static struct entry entry;
static uv_loop_t uv;

static void on_wake(uv_async_t *wake)
{
    (void)wake;
}

static void set_up(void)
{
    struct status st;

    service = (struct service){.phase = SERVICE_RUNNING};
    profile = (struct listener_profile){
        .limit = LIMIT, .waiting = LIMIT, .counted = true};
    ck_assert(address_limit_init(&service.address_limit, LIMIT, LIMIT, &st));
    ck_assert(entry_init(&entry, &service, &profile, &metrics));
    ck_assert_int_eq(uv_loop_init(&uv), 0);
    loop = (struct loop){.context = {.service = &service}};
    ck_assert(arrivals_init(&loop.arrivals, 2 * LIMIT));
    uv_async_init(&uv, &loop.handles.wake, on_wake);
    entry.loops = &loop;
    entry.loop_count = 1;
}

static void tear_down(void)
{
    struct arrival arrival;

    entry_abort(&entry);
    while (arrivals_pop(&loop.arrivals, &arrival))
        close(arrival.fd);
    arrivals_free(&loop.arrivals);
    address_limit_free(&service.address_limit);
    ck_assert(loop_close_uv(&uv));
}

static struct peer peer_of(unsigned char number)
{
    return (struct peer){.address = {number}};
}

/* The port tells the sockets of an address apart. */
static void add_at(unsigned char number, uint16_t port)
{
    struct arrival arrival = {.fd = socket(AF_UNIX, SOCK_STREAM, 0),
                              .peer = peer_of(number)};

    ck_assert_int_ge(arrival.fd, 0);
    arrival.peer.port = port;
    entry_add(&entry, &arrival);
}

static void add(unsigned char number, int count)
{
    for (int i = 0; i < count; i++)
        add_at(number, 0);
}

/* Fails if the next that has entered is not this one. */
static void enters(unsigned char number, uint16_t port)
{
    struct arrival arrival;

    ck_assert(arrivals_pop(&loop.arrivals, &arrival));
    ck_assert_uint_eq(arrival.peer.address[0], number);
    ck_assert_uint_eq(arrival.peer.port, port);
    close(arrival.fd);
}

/* A full port that does not count by address, so that only those that wait have
 * a weight; open_all() lets all of them enter. */
static void fill_uncounted(void)
{
    profile.counted = false;
    atomic_store(&loop.context.open, LIMIT);
}

static void open_all(void)
{
    atomic_store(&loop.context.open, 0);
    entry_admit(&entry);
    ck_assert_uint_eq(entry.lobby.count, 0);
}

/* The same as a loop does at the end of a connection. */
static void end_one(unsigned char number)
{
    struct peer peer = peer_of(number);

    address_limit_give(&service.address_limit, &peer, 1);
    atomic_fetch_sub(&service.connections, 1);
    entry_admit(&entry);
}

static void expect(unsigned char number, size_t inside, size_t waiting)
{
    struct peer peer = peer_of(number);

    ck_assert_uint_eq(address_limit_count(&service.address_limit, &peer),
                      inside);
    ck_assert_uint_eq(entry.lobby.count, waiting);
    ck_assert(entry_is_waited_for(&entry) == (waiting > 0));
}

START_TEST(lone_address_may_have_all)
{
    add(1, LIMIT);
    expect(1, LIMIT, 0);
    add(1, 1);
    expect(1, LIMIT, 1);
    end_one(1);
    expect(1, LIMIT, 0);
}
END_TEST

START_TEST(last_places_are_for_those_below_their_share)
{
    add(1, NEAR - 1);
    add(2, 1); /* from here on a share is 16 */
    add(1, 1);
    expect(1, NEAR - 1, 1);
    add(2, 1);
    expect(2, 2, 1);
    add(3, 1);
    expect(3, 1, 1);
    end_one(2);
    end_one(3);
    expect(1, NEAR - 1, 1);
    end_one(2);
    expect(1, NEAR, 0);
}
END_TEST

START_TEST(who_has_least_enters_first)
{
    add(1, LIMIT + 5);
    add(2, 1);
    expect(2, 0, 6);
    end_one(1);
    expect(2, 1, 5);
    expect(1, LIMIT - 1, 5);
}
END_TEST

/* The kernel's queue holds the others of a lone address. */
START_TEST(closed_while_a_lone_address_fills_the_lobby)
{
    add(1, LIMIT + LIMIT - 1);
    ck_assert(!entry_is_closed(&entry));
    add(1, 1);
    ck_assert(entry_is_closed(&entry));
    end_one(1);
    ck_assert(!entry_is_closed(&entry));
}
END_TEST

START_TEST(newcomer_takes_the_place_of_a_crowd_that_waits)
{
    add(1, 2 * LIMIT + 1);
    expect(1, LIMIT, LIMIT);
    ck_assert_uint_eq(counter_value(&metrics.rejected[METRICS_CROWD]), 1);
    add(2, 1);
    expect(1, LIMIT, LIMIT);
    ck_assert_uint_eq(counter_value(&metrics.rejected[METRICS_CROWD]), 2);
    end_one(1);
    expect(2, 1, LIMIT - 1);
}
END_TEST

/* Connections that are being closed fill the port and are nobody's any more. */
START_TEST(newcomer_goes_before_an_address_that_is_below_its_share)
{
    struct peer crowd = peer_of(1);

    add(1, 2 * LIMIT);
    for (int i = 0; i < LIMIT; i++)
        address_limit_give(&service.address_limit, &crowd, 1);
    add(2, 1);
    expect(1, 0, LIMIT);
    add(1, 1); /* has no right to the place of the other */
    for (int i = 0; i < LIMIT; i++)
        ck_assert(address_limit_take(&service.address_limit, &crowd, 1));
    end_one(1);
    expect(2, 1, LIMIT - 1);
}
END_TEST

/* The memory plan counts with as much. */
START_TEST(socket_that_waits_has_a_narrow_buffer)
{
    int size = 0;
    socklen_t len = sizeof(size);

    add(1, LIMIT + 1);
    ck_assert_int_eq(getsockopt(entry.lobby.waiting[0].fd, SOL_SOCKET,
                                SO_RCVBUF, &size, &len),
                     0);
    ck_assert_int_eq(size,
                     CONNECTION_COST_SOCKET_FACTOR * CONNECTION_COST_RCVBUF);
    ck_assert_int_lt(size, CONNECTION_COST_WAITING);
}
END_TEST

START_TEST(oldest_of_the_least_goes_first)
{
    fill_uncounted();
    add_at(2, 1);
    add_at(1, 2);
    add_at(2, 3);
    add_at(1, 4);
    add_at(2, 5);
    open_all();
    enters(1, 2);
    enters(1, 4);
    enters(2, 1);
    enters(2, 3);
    enters(2, 5);
}
END_TEST

START_TEST(newest_of_who_has_more_makes_room)
{
    fill_uncounted();
    for (uint16_t i = 0; i < LIMIT; i++)
        add_at(1, i);
    add_at(2, 100);
    add_at(2, 101);
    add_at(1, 102); /* full, and nobody has more */
    ck_assert_uint_eq(entry.lobby.count, LIMIT);
    ck_assert_uint_eq(counter_value(&metrics.rejected[METRICS_CROWD]), 3);
    open_all();
    enters(2, 100);
    enters(2, 101);
    for (uint16_t i = 0; i < LIMIT - 2; i++)
        enters(1, i);
}
END_TEST

SUITE_WITH("entry", set_up, tear_down, TEST(lone_address_may_have_all),
           TEST(oldest_of_the_least_goes_first),
           TEST(newest_of_who_has_more_makes_room),
           TEST(last_places_are_for_those_below_their_share),
           TEST(who_has_least_enters_first),
           TEST(closed_while_a_lone_address_fills_the_lobby),
           TEST(newcomer_takes_the_place_of_a_crowd_that_waits),
           TEST(newcomer_goes_before_an_address_that_is_below_its_share),
           TEST(socket_that_waits_has_a_narrow_buffer))
