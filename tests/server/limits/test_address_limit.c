#include <arpa/inet.h>
#include <netinet/in.h>

#include "server/limits/address_limit.h"
#include "tests/unit.h"

static struct address_limit limits;

static struct status st;

static void tear_down(void)
{
    address_limit_free(&limits);
}

static struct peer ipv4(uint32_t address)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons(9),
                             .sin_addr = {htonl(address)}};
    struct peer peer;

    peer_from_address(&peer, (const struct sockaddr *)&in);
    return peer;
}

UNIT_TEST(address_limit_counts_each_address)
{
    struct peer a = ipv4(0x0a000001), b = ipv4(0x0a000002);

    ck_assert(address_limit_init(&limits, 2, 10, &st));
    ck_assert(address_limit_take(&limits, &a, 1));
    ck_assert(address_limit_take(&limits, &a, 1));
    ck_assert(!address_limit_take(&limits, &a, 1));
    ck_assert(address_limit_take(&limits, &b, 1));
    address_limit_give(&limits, &a, 1);
    ck_assert(address_limit_take(&limits, &a, 1));
}

static void add(const struct peer *peer, int count)
{
    for (int i = 0; i < count; i++)
        ck_assert(address_limit_take(&limits, peer, 1));
}

UNIT_TEST(address_limit_of_0_counts_nothing)
{
    struct peer a = ipv4(1);

    ck_assert(address_limit_init(&limits, 0, 10, &st));
    add(&a, 100);
    ck_assert(!address_limit_has_half(&limits, &a));
    address_limit_give(&limits, &a, 1);
}

UNIT_TEST(address_limit_shares_alike)
{
    struct peer a = ipv4(1), b = ipv4(2), c = ipv4(3);

    ck_assert(address_limit_init(&limits, 100, 100, &st));
    add(&a, 50);
    ck_assert(!address_limit_has_half(&limits, &a)); /* 50 of 100, alone */
    add(&a, 1);
    ck_assert(address_limit_has_half(&limits, &a));
    ck_assert(!address_limit_has_half(&limits, &b)); /* has none */
    address_limit_give(&limits, &a, 1);
    add(&b, 25);
    ck_assert(address_limit_has_half(&limits, &a));
    ck_assert(!address_limit_has_half(&limits, &b)); /* 25 of 50 */
    add(&b, 1);
    ck_assert(address_limit_has_half(&limits, &b));
    address_limit_give(&limits, &b, 1);
    add(&c, 1);
    ck_assert(address_limit_has_half(&limits, &b)); /* 25 of 33 */
    ck_assert(!address_limit_has_half(&limits, &c));
    address_limit_give(&limits, &c, 1);
    ck_assert(!address_limit_has_half(&limits, &b));
}

UNIT_TEST(address_limit_counts_one_more_for_a_share)
{
    struct sockaddr un = {.sa_family = AF_UNIX};
    struct peer a = ipv4(1), b = ipv4(2), c = ipv4(3), local;

    ck_assert(address_limit_init(&limits, 9, 2, &st));
    ck_assert(address_limit_take(&limits, &c, 0)); /* leaves nothing */
    add(&a, 1);
    ck_assert(!address_limit_has_share(&limits, &a)); /* 2 of 2 */
    ck_assert(!address_limit_has_share(&limits, &b)); /* 1 of 1 */
    add(&a, 1);
    ck_assert(address_limit_has_share(&limits, &a));
    ck_assert(!address_limit_has_share(&limits, &b));
    address_limit_give(&limits, &a, 1);
    add(&b, 1);
    ck_assert(address_limit_has_share(&limits, &a));
    ck_assert(address_limit_has_share(&limits, &c)); /* 1 of 2 thirds */
    peer_from_address(&local, &un);
    ck_assert(!address_limit_has_share(&limits, &local));
}

static struct peer ipv6(const char *text)
{
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(7)};
    struct peer peer;

    inet_pton(AF_INET6, text, &in6.sin6_addr);
    peer_from_address(&peer, (const struct sockaddr *)&in6);
    return peer;
}

UNIT_TEST(address_limit_counts_networks_of_ipv6)
{
    struct peer a = ipv6("2001:db8::1"), same = ipv6("2001:db8::ffff:0:0:2");
    struct peer other = ipv6("2001:db8:0:1::1");

    ck_assert(address_limit_init(&limits, 1, 10, &st));
    ck_assert(address_limit_take(&limits, &a, 1));
    ck_assert(!address_limit_take(&limits, &same, 1));
    ck_assert(address_limit_take(&limits, &other, 1));
    address_limit_give(&limits, &same, 1); /* that of a */
    ck_assert(address_limit_take(&limits, &a, 1));
}

/* A full table, with runs that wrap around, emptied in another order: each
 * removal must leave all other entries reachable. */
UNIT_TEST(address_limit_finds_all_after_removals)
{
    enum { COUNT = 64 };

    ck_assert(address_limit_init(&limits, 1, COUNT, &st));
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            struct peer peer = ipv4(round * 1000 + i);

            ck_assert(address_limit_take(&limits, &peer, 1));
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            struct peer peer = ipv4(round * 1000 + i * 37 % COUNT);

            ck_assert(!address_limit_take(&limits, &peer, 1));
            address_limit_give(&limits, &peer, 1);
        }
        for (size_t i = 0; i < limits.slot_count; i++)
            ck_assert_uint_eq(limits.slots[i].count, 0);
    }
}

/* Few addresses in a small table, so that many runs meet, and a second count of
 * them. */
UNIT_TEST(address_limit_counts_right_in_any_order)
{
    enum { MOST = 8, ADDRESSES = 40, LIMIT = 3 };
    size_t counts[ADDRESSES] = {0}, used = 0;
    uint32_t state = 1;

    ck_assert(address_limit_init(&limits, LIMIT, MOST, &st));
    for (int i = 0; i < 20000; i++) {
        state = state * 1664525 + 1013904223;
        size_t at = (state >> 16) % ADDRESSES, more = 1 + (state >> 8) % 2;
        struct peer peer = ipv4((uint32_t)at);
        bool fits = counts[at] + more <= LIMIT;

        if (state >> 31) {
            address_limit_give(&limits, &peer, counts[at]);
            used -= counts[at] > 0;
            counts[at] = 0;
        } else if (used < MOST || counts[at] > 0) {
            ck_assert_int_eq(address_limit_take(&limits, &peer, more), fits);
            used += counts[at] == 0;
            counts[at] += fits ? more : 0;
        }
        ck_assert_uint_eq(limits.addresses, used);
    }
}

UNIT_TEST(address_limit_ignores_unix_sockets)
{
    struct sockaddr un = {.sa_family = AF_UNIX};
    struct peer peer;
    char text[PEER_TEXT_SIZE];

    peer_from_address(&peer, &un);
    ck_assert_uint_eq(peer.port, 0);
    ck_assert(address_limit_init(&limits, 1, 10, &st));
    add(&peer, 2);
    peer_text(&peer, text);
    ck_assert_str_eq(text, "unix");
}

UNIT_TEST(peer_text_is_readable)
{
    struct peer peer = ipv4(0xc0000201);
    char text[PEER_TEXT_SIZE];

    peer_text(&peer, text);
    ck_assert_str_eq(text, "192.0.2.1:9");
    peer = ipv6("2001:db8::1");
    peer_text(&peer, text);
    ck_assert_str_eq(text, "[2001:db8::1]:7");
}

/* The client may choose the rest. */
LOOP_TEST(peer_hash_is_of_the_network, 16)
{
    struct peer peer = ipv6("2001:db8::1"), other = peer;

    other.port++;
    ck_assert_uint_eq(peer_hash(&other), peer_hash(&peer));
    other.address[_i] ^= 1;
    ck_assert_int_eq(peer_hash(&other) == peer_hash(&peer), _i >= 8);
}

FIXTURE(NULL, tear_down)
