#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/net/entry.h"
#include "tests/suite.h"

enum { CAPACITY = 4 };

static struct lobby lobby;

static void set_up(void)
{
    ck_assert(lobby_init(&lobby, CAPACITY));
}

static void tear_down(void)
{
    lobby_free(&lobby);
}

/* The port tells the sockets of an address apart. */
static void add(unsigned char number, uint16_t port)
{
    struct arrival arrival = {.fd = socket(AF_UNIX, SOCK_STREAM, 0),
                              .peer = {.address = {number}, .port = port}};

    ck_assert(lobby_add(&lobby, &arrival));
}

static size_t weigh(void *context, const struct peer *peer)
{
    (void)context;
    return peer->address[0];
}

static bool is_one(void *context, const struct peer *peer)
{
    (void)context;
    return peer->address[0] == 1;
}

static void expect(const struct arrival *arrival, unsigned char number,
                   uint16_t port)
{
    ck_assert_uint_eq(arrival->peer.address[0], number);
    ck_assert_uint_eq(arrival->peer.port, port);
    close(arrival->fd);
}

START_TEST(oldest_of_the_least_goes_first)
{
    struct arrival arrival;

    add(2, 1);
    add(1, 2);
    add(1, 3);
    add(2, 4);
    for (uint16_t i = 0; i < CAPACITY; i++) {
        ck_assert(lobby_take_least(&lobby, weigh, NULL, &arrival));
        expect(&arrival, i < 2 ? 1 : 2, (uint16_t[]){2, 3, 1, 4}[i]);
    }
    ck_assert(!lobby_take_least(&lobby, weigh, NULL, &arrival));
}
END_TEST

START_TEST(newest_that_is_chosen_goes_first)
{
    struct arrival arrival;

    add(1, 1);
    add(1, 2);
    add(2, 3);
    ck_assert(lobby_take_newest(&lobby, is_one, NULL, &arrival));
    expect(&arrival, 1, 2);
    ck_assert(lobby_take_newest(&lobby, is_one, NULL, &arrival));
    expect(&arrival, 1, 1);
    ck_assert(!lobby_take_newest(&lobby, is_one, NULL, &arrival));
    ck_assert_uint_eq(lobby.count, 1);
}
END_TEST

START_TEST(full_lobby_takes_no_more)
{
    struct arrival more = {.fd = -1};

    for (uint16_t i = 0; i < CAPACITY; i++)
        add(1, i);
    ck_assert(!lobby_add(&lobby, &more));
    ck_assert_uint_eq(lobby.count, CAPACITY);
}
END_TEST

SUITE_WITH("lobby", set_up, tear_down, TEST(oldest_of_the_least_goes_first),
           TEST(newest_that_is_chosen_goes_first),
           TEST(full_lobby_takes_no_more))
