#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/conn/connection_list.h"
#include "tests/suite.h"

enum { CROWD = 4 * SILENT_SET_BATCH, MOST = CROWD + 2 };

static struct silent_set set;
static int far[MOST];
static int count;

static void set_up(void)
{
    ck_assert(silent_set_init(&set));
    count = 0;
}

static void tear_down(void)
{
    struct arrival arrival;

    while (silent_set_take_turn(&set, &arrival))
        close(arrival.fd);
    for (int i = 0; i < count; i++)
        close(far[i]);
    silent_set_free(&set);
}

/* Clients of the same address that have sent a byte. */
static void add(unsigned char address, int clients)
{
    for (int i = 0; i < clients; i++) {
        struct arrival arrival = {.peer = {.address = {address}}};
        int pair[2];

        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        arrival.fd = pair[0];
        far[count++] = pair[1];
        ck_assert_int_eq(write(pair[1], "", 1), 1);
        ck_assert(silent_set_hold(&set, &arrival, 0));
    }
}

/* The turn in which the next socket of an address is taken. */
static int turns_until(unsigned char address)
{
    struct arrival arrival;

    for (int turn = 1; silent_set_take_turn(&set, &arrival); turn++) {
        close(arrival.fd);
        if (arrival.peer.address[0] == address)
            return turn;
    }
    return 0;
}

START_TEST(few_sockets_take_turns_with_many)
{
    add(1, 1);
    ck_assert_int_eq(turns_until(1), 1);
    add(1, CROWD);
    add(2, 1);
    /* One look at each batch of the crowd before it, and its own turn. */
    ck_assert_int_le(turns_until(2), CROWD / SILENT_SET_BATCH + 1);
    ck_assert_int_eq(turns_until(1), 1);
}
END_TEST

START_TEST(addresses_alternate)
{
    add(1, 5);
    add(2, 5);
    ck_assert_int_eq(turns_until(1), 1);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(turns_until(2), 1);
        ck_assert_int_eq(turns_until(1), 1);
    }
}
END_TEST

START_TEST(a_lone_address_has_all_turns)
{
    add(1, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(turns_until(1), 1);
    ck_assert_int_eq(turns_until(1), 0);
}
END_TEST

SUITE_WITH("silent_set", set_up, tear_down,
           TEST(few_sockets_take_turns_with_many), TEST(addresses_alternate),
           TEST(a_lone_address_has_all_turns))
