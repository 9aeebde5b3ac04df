/* Who enters a port that is nearly full, and who waits. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

#include "server/limits/connection_cost.h"
#include "tests/server/net/acceptor_case.h"
#include "tests/unit.h"

/* A port of 32 connections, so that the last two are kept for addresses below
 * their share; clients of 127.0.0.N. */

enum { LIMIT = 32, NEAR = 30, WITHIN_MS = 10000 };

static struct status st;
static int newest; /* of the clients */

static void set_up(void)
{
    const struct listener_profile profile = {
        .limit = LIMIT, .waiting = LIMIT, .counted = true};

    open_at("127.0.0.1", &profile);
    ck_assert(address_limit_init(&service.address_limit, LIMIT, LIMIT, &st));
}

static struct sockaddr_in address_of(unsigned char number)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr =
                                    htonl(INADDR_LOOPBACK - 1 + number)};
}

static struct peer peer_of(unsigned char number)
{
    struct sockaddr_in address = address_of(number);
    struct peer peer;

    peer_from_address(&peer, (struct sockaddr *)&address);
    return peer;
}

/* Returns the client's port, which tells the sockets of an address apart. */
static uint16_t add_one(unsigned char number)
{
    struct sockaddr_in address = address_of(number);
    socklen_t len = sizeof(address);
    int fd = newest = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, len), 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&acceptor.address.storage,
                             acceptor.address.len),
                     0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    uv_run(&uv, UV_RUN_NOWAIT);
    return ntohs(address.sin_port);
}

static void add(unsigned char number, int count)
{
    for (int i = 0; i < count; i++)
        add_one(number);
}

/* As a loop does after the end of a connection. */
static void end_one(unsigned char number)
{
    struct peer peer = peer_of(number);

    address_limit_give(&service.address_limit, &peer, 1);
    close_connection();
    uv_run(&uv, UV_RUN_NOWAIT);
}

/* So many have entered for the address and stay open, and so many wait beside
 * the kernel's queue. */
static void expect(unsigned char number, size_t inside, size_t waiting)
{
    struct peer peer = peer_of(number);

    for (size_t i = 0; i < service.address_limit.slot_count; i++)
        if (memcmp(service.address_limit.slots[i].peer.address, peer.address,
                   sizeof(peer.address)) == 0)
            inside -= service.address_limit.slots[i].count;
    ck_assert_uint_eq(inside, 0);
    ck_assert_uint_eq(acceptor.waiting.count, waiting);
    ck_assert(waiting == 0 || atomic_load(&acceptor.is_waiting));
}

static uint64_t rejected(enum metrics_rejection reason)
{
    return counter_value(&acceptor.metrics.rejected[reason]);
}

/* The kernel's queue holds the others. */
UNIT_TEST(lone_address_may_have_all)
{
    add(1, LIMIT);
    ck_assert(uv_is_active((uv_handle_t *)&acceptor.poll));
    add(1, 5);
    expect(1, LIMIT, 0);
    ck_assert(!uv_is_active((uv_handle_t *)&acceptor.poll));
    for (int i = 0; i < 5; i++) {
        end_one(1);
        uv_run(&uv, UV_RUN_NOWAIT);
        expect(1, LIMIT, 0);
    }
}

UNIT_TEST(last_places_are_for_those_below_their_share)
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

static void newest_is_closed(void)
{
    struct pollfd client = {.fd = newest, .events = POLLIN};
    char byte;

    ck_assert_int_eq(poll(&client, 1, WITHIN_MS), 1);
    ck_assert_int_eq(recv(client.fd, &byte, 1, 0), 0);
}

UNIT_TEST(newest_of_a_crowd_is_closed_when_no_more_can_wait)
{
    add(2, 1);
    add(1, NEAR - 1 + LIMIT + 2);
    expect(1, NEAR - 1, LIMIT);
    ck_assert_uint_eq(rejected(METRICS_CROWD), 2);
    ck_assert_uint_eq(rejected(METRICS_CONNECTIONS), LIMIT);
    newest_is_closed();
    add(3, LIMIT - NEAR); /* those find room */
    expect(3, LIMIT - NEAR, LIMIT);
}

UNIT_TEST(newest_of_an_address_at_its_limit_is_closed)
{
    address_limit_free(&service.address_limit);
    ck_assert(address_limit_init(&service.address_limit, 2, LIMIT, &st));
    add(1, 3);
    expect(1, 2, 0);
    ck_assert_uint_eq(rejected(METRICS_ADDRESS_CONNECTIONS), 1);
    ck_assert_uint_eq(atomic_load(&service.connections), 2);
    newest_is_closed();
}

/* The memory plan counts with as much. */
UNIT_TEST(socket_that_waits_has_a_narrow_buffer)
{
    int size = 300000; /* as the system may have it */
    socklen_t len = sizeof(size);

    setsockopt(acceptor.fd, SOL_SOCKET, SO_RCVBUF, &size, len);
    add(2, 1);
    add(1, NEAR);
    ck_assert_int_eq(getsockopt(acceptor.waiting.ring[0].fd, SOL_SOCKET,
                                SO_RCVBUF, &size, &len),
                     0);
    ck_assert_int_eq(size,
                     CONNECTION_COST_SOCKET_FACTOR * CONNECTION_COST_RCVBUF);
    ck_assert_int_lt(size, CONNECTION_COST_WAITING);
}

UNIT_TEST(oldest_goes_first)
{
    struct arrival arrival;
    uint16_t ports[3];

    add(2, 1);
    add(1, NEAR - 1);
    while (arrivals_pop(&loops->arrivals, &arrival))
        continue;
    for (int i = 0; i < 3; i++)
        ports[i] = add_one(1);
    for (int i = 0; i < 3; i++) {
        end_one(1);
        ck_assert(arrivals_pop(&loops->arrivals, &arrival));
        ck_assert_mem_eq(arrival.peer.address, peer_of(1).address, 16);
        ck_assert_uint_eq(arrival.peer.port, ports[i]);
    }
}

/* The room that its own connection leaves is not kept for those before it. */
UNIT_TEST(who_has_its_share_is_passed_by)
{
    add(1, NEAR - 10);
    add(2, 10);
    add(1, 1);
    add(3, 1); /* from here on a share is 10 */
    add(2, 1);
    expect(2, 10, 2);
    end_one(2);
    expect(2, 10, 1);
    expect(1, NEAR - 10, 1);
}

/* Their clients learn it, and the exit code tells. */
UNIT_TEST(who_waits_is_closed_by_an_abort)
{
    struct pollfd client = {.events = POLLIN};

    add(2, 1);
    add(1, NEAR);
    ck_assert_uint_eq(acceptor.waiting.count, 1);
    client.fd = newest;
    ck_assert_int_eq(poll(&client, 1, 0), 0);
    atomic_store(&service.has_cut, false);
    acceptor_abort(&acceptor);
    ck_assert(atomic_load(&service.has_cut));
    newest_is_closed();
}

FIXTURE(set_up, tear_down)
