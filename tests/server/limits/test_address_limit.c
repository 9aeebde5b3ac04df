#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <string.h>

#include "server/limits/address_limit.h"
#include "tests/suite.h"

static struct peer ipv4(uint32_t address)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons(9),
                             .sin_addr = {htonl(address)}};
    struct peer peer;

    peer_from_address(&peer, (const struct sockaddr *)&in);
    return peer;
}

START_TEST(peers_limit_each_address)
{
    struct address_limit address_limit;
    struct status st;
    struct peer a = ipv4(0x0a000001), b = ipv4(0x0a000002);

    ck_assert(address_limit_init(&address_limit, 2, 10, &st));
    ck_assert(address_limit_add(&address_limit, &a));
    ck_assert(address_limit_add(&address_limit, &a));
    ck_assert(!address_limit_add(&address_limit, &a));
    ck_assert(address_limit_add(&address_limit, &b));
    address_limit_remove(&address_limit, &a);
    ck_assert(address_limit_add(&address_limit, &a));
    address_limit_free(&address_limit);
}
END_TEST

START_TEST(peers_without_a_limit_count_nothing)
{
    struct address_limit address_limit;
    struct status st;
    struct peer a = ipv4(1);

    ck_assert(address_limit_init(&address_limit, 0, 10, &st));
    for (int i = 0; i < 100; i++)
        ck_assert(address_limit_add(&address_limit, &a));
    address_limit_remove(&address_limit, &a);
    address_limit_free(&address_limit);
}
END_TEST

/* A full table, with runs that wrap around, emptied in another order: what is
 * counted stays findable whatever is removed beside it. */
START_TEST(peers_find_all_after_removals)
{
    enum { COUNT = 64 };
    struct address_limit address_limit;
    struct status st;

    ck_assert(address_limit_init(&address_limit, 1, COUNT, &st));
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < COUNT; i++)
            ck_assert(address_limit_add(
                &address_limit, &(struct peer[]){ipv4(round * 1000 + i)}[0]));
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t at = i * 37 % COUNT;
            struct peer peer = ipv4(round * 1000 + at);

            ck_assert(!address_limit_add(&address_limit, &peer));
            address_limit_remove(&address_limit, &peer);
        }
        for (size_t i = 0; i < address_limit.slot_count; i++)
            ck_assert_uint_eq(address_limit.slots[i].count, 0);
    }
    address_limit_free(&address_limit);
}
END_TEST

START_TEST(peers_never_count_unix_sockets)
{
    struct address_limit address_limit;
    struct status st;
    struct sockaddr un = {.sa_family = AF_UNIX};
    struct peer peer;
    char text[PEER_TEXT_SIZE];

    peer_from_address(&peer, &un);
    ck_assert(address_limit_init(&address_limit, 1, 10, &st));
    ck_assert(address_limit_add(&address_limit, &peer));
    ck_assert(address_limit_add(&address_limit, &peer));
    peer_text(&peer, text);
    ck_assert_str_eq(text, "unix");
    address_limit_free(&address_limit);
}
END_TEST

START_TEST(peers_have_readable_addresses)
{
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(7)};
    struct peer peer = ipv4(0xc0000201);
    char text[PEER_TEXT_SIZE];

    peer_text(&peer, text);
    ck_assert_str_eq(text, "192.0.2.1:9");
    inet_pton(AF_INET6, "2001:db8::1", &in6.sin6_addr);
    peer_from_address(&peer, (const struct sockaddr *)&in6);
    peer_text(&peer, text);
    ck_assert_str_eq(text, "[2001:db8::1]:7");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("peers");
    TCase *tc = tcase_create("core");

    tcase_add_test(tc, peers_limit_each_address);
    tcase_add_test(tc, peers_without_a_limit_count_nothing);
    tcase_add_test(tc, peers_find_all_after_removals);
    tcase_add_test(tc, peers_never_count_unix_sockets);
    tcase_add_test(tc, peers_have_readable_addresses);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
