#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>

#include "server/base/clock.h"
#include "server/socket/transport.h"
#include "tests/server/socket/tcp_pair.h"
#include "tests/unit.h"

/* A layer that answers as `answers` say, one after the other, with EINTR as the
 * errno of each. */
static int answers[4], next, ends;

static ssize_t layer_recvv(void *self, const struct iovec *parts, size_t count)
{
    ck_assert_ptr_eq(self, answers);
    ck_assert(!parts || count == 2);
    errno = EINTR;
    return answers[next++];
}

static ssize_t layer_sendv(void *self, const struct iovec *parts, size_t count,
                           int flags)
{
    ck_assert_int_eq(flags, MSG_NOSIGNAL | MSG_DONTWAIT);
    return layer_recvv(self, parts, count);
}

static ssize_t layer_handshake(void *self)
{
    uint64_t start = clock_now_ns();

    while (clock_now_ns() == start)
        continue;
    return layer_recvv(self, NULL, 0);
}

static void layer_end(void *self)
{
    ck_assert_ptr_eq(self, answers);
    ends++;
}

static const struct socket_io layer_io = {
    .recvv = layer_recvv,
    .sendv = layer_sendv,
    .handshake = layer_handshake,
    .shutdown = layer_end,
    .free = layer_end,
};
static const struct socket_buffers_setup setup = {.send = 0};
static struct iovec parts[2] = {{"abc", 3}, {"d", 1}};
static struct transport transport;

/* Returns the client's end of the socket. */
static int open_transport(void)
{
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    transport_open(&transport, pair[0],
                   (struct socket_layer){&layer_io, answers}, &setup);
    return pair[1];
}

/* 0 is an end, whatever errno says. */
LOOP_TEST(transport_goes_on_after_an_interruption, 2)
{
    uint64_t ns;

    open_transport();
    transport.established = true;
    answers[0] = -1;
    ck_assert_int_eq(_i ? transport_send(&transport, parts, 2)
                        : transport_recv(&transport, parts, 2, &ns),
                     0);
    ck_assert_int_eq(next, 2);
}

UNIT_TEST(transport_shakes_hands_first)
{
    uint64_t ns = 1000, start = clock_now_ns();

    open_transport();
    answers[0] = -1;
    answers[2] = 1;
    answers[3] = 5;
    ck_assert_int_eq(transport_recv(&transport, parts, 2, &ns), -1);
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert(transport.wants_write);
    ck_assert_uint_gt(ns, 1000);
    ck_assert_int_eq(transport_recv(&transport, parts, 2, &ns), 0);
    ck_assert(!transport.wants_write && !transport.established);
    ck_assert_int_eq(transport_recv(&transport, parts, 2, &ns), 5);
    ck_assert(transport.established);
    ck_assert_uint_le(ns - 1000, clock_now_ns() - start);
}

/* The plain socket takes the layer's place; it drops no byte too many. */
UNIT_TEST(transport_ends_its_layer)
{
    int client = open_transport();
    char rest[4];

    ck_assert_int_eq(transport_shutdown(&transport, SHUT_WR), 0);
    ck_assert_int_eq(ends, 1);
    ck_assert_int_eq(recv(client, rest, 4, 0), 0);
    transport_free(&transport);
    transport_free(&transport);
    ck_assert_int_eq(ends, 2);
    ck_assert_int_eq(send(client, "abcdef", 6, 0), 6);
    ck_assert_int_eq(transport.layer.io->drop(transport.layer.self, 2), 2);
    transport.established = true;
    parts[0].iov_base = rest;
    ck_assert_int_eq(transport_recv(&transport, parts, 1, &(uint64_t){0}), 3);
    ck_assert_mem_eq(rest, "cde", 3);
}

/* The kernel counts what is unsent to a client that has reset, too. */
UNIT_TEST(transport_knows_what_a_client_does_not_take)
{
    static char reply[512 << 10];
    int near, far, ms = 0;
    socklen_t len = sizeof(ms);
    struct pollfd end = {.events = POLLRDHUP};

    tcp_pair(&near, &far, 4096);
    ck_assert(!socket_has_ended(near) && !socket_has_unsent(near));
    ck_assert_int_gt(send(near, reply, sizeof(reply), MSG_DONTWAIT), 50000);
    ck_assert(socket_has_unsent(near));
    socket_leave_to_kernel(near);
    getsockopt(near, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, &len);
    ck_assert(ms > 0 && ms < 60000);
    socket_reset_at_close(far);
    close(far);
    end.fd = near;
    ck_assert_int_eq(poll(&end, 1, 10000), 1);
    ck_assert(!socket_has_unsent(near) && socket_has_ended(near));
}
