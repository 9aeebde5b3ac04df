#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/tcp.h> /* has more of struct tcp_info than netinet/tcp.h */

#include "server/socket/socket_buffers.h"
#include "tests/server/socket/tcp_pair.h"
#include "tests/unit.h"

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72
#endif

enum { ROOM = 4 << 20, LARGE = SOCKET_BUFFERS_LARGE };

static struct socket_buffers buffers;
static int fd;
static size_t leased, room = ROOM;

static bool take(void *context, size_t bytes)
{
    ck_assert_ptr_eq(context, &leased);
    if (bytes > room - leased)
        return false;
    leased += bytes;
    return true;
}

static void give(void *context, size_t bytes)
{
    ck_assert_ptr_eq(context, &leased);
    ck_assert_uint_le(bytes, leased);
    leased -= bytes;
}

static const struct socket_buffers_setup setup = {
    .send = 40000,
    .receive = 20000,
    .send_most = 1 << 20,
    .receive_most = 2 << 20,
    .take = take,
    .give = give,
    .context = &leased,
};

static void set_up(void)
{
    fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    socket_buffers_init(&buffers, fd, &setup);
}

static void tear_down(void)
{
    socket_buffers_free(&buffers);
    ck_assert_uint_eq(leased, 0);
}

static int get_of(int level, int option)
{
    int value = -1;
    socklen_t len = sizeof(value);

    getsockopt(fd, level, option, &value, &len);
    return value;
}

static int get(int option)
{
    return get_of(SOL_SOCKET, option);
}

static int get_window(void)
{
    return get_of(IPPROTO_TCP, TCP_WINDOW_CLAMP);
}

/* qemu has no TCP_INFO: there nothing tells when a window is used up. */
static bool counts_bytes(void)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
           len > offsetof(struct tcp_info, tcpi_bytes_received);
}

/* What stays leased of a body's buffer until its window is used up. */
static size_t behind_window(void)
{
    return counts_bytes() ? (size_t)get(SO_RCVBUF) : 0;
}

/* Before Linux 5.14 a wide buffer has another size, and no lock to ask for.
 * qemu reads the lock, and sets none. */
static bool has_lock(int locks)
{
    return locks >= 0 &&
           setsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &locks, sizeof(locks)) == 0;
}

static void expect(bool send_wide, enum socket_buffers_window receive,
                   size_t bytes)
{
    bool is_free = receive == SOCKET_BUFFERS_FREE;
    int locks = get(SO_BUF_LOCK);

    ck_assert(buffers.send_wide == send_wide);
    ck_assert_int_eq(buffers.receive, receive);
    if (!send_wide)
        ck_assert_int_eq(get(SO_SNDBUF), 80000);
    if (receive == SOCKET_BUFFERS_NARROW && buffers.receive_leased == 0)
        ck_assert_int_eq(get(SO_RCVBUF), 40000);
    if (receive == SOCKET_BUFFERS_LIMITED)
        ck_assert_int_le(get(SO_RCVBUF), SOCKET_BUFFERS_WINDOW_MOST);
    if (receive != SOCKET_BUFFERS_NARROW)
        ck_assert_int_ge(get(SO_RCVBUF), 100000);
    if (is_free)
        ck_assert_int_gt(get_window(), 1 << 20);
    else
        ck_assert_int_eq(
            get_window(),
            (receive == SOCKET_BUFFERS_NARROW ? 20000 : SOCKET_BUFFERS_WINDOW) +
                8192);
    if (has_lock(locks))
        ck_assert_int_eq(locks, (send_wide ? 0 : 1) | (is_free ? 0 : 2));
    ck_assert_uint_eq(leased, bytes);
}

UNIT_TEST(socket_buffers_grow_for_a_large_reply_and_a_large_body)
{
    expect(false, SOCKET_BUFFERS_NARROW, 0);
    socket_buffers_narrow(&buffers);
    expect(false, SOCKET_BUFFERS_NARROW, 0);
    socket_buffers_send(&buffers, LARGE - 1);
    expect(false, SOCKET_BUFFERS_NARROW, 0);
    socket_buffers_send(&buffers, LARGE);
    expect(true, SOCKET_BUFFERS_NARROW, LARGE);
    socket_buffers_send(&buffers, 2 * LARGE);
    expect(true, SOCKET_BUFFERS_NARROW, 2 * LARGE);
    socket_buffers_send(&buffers, SIZE_MAX);
    expect(true, SOCKET_BUFFERS_NARROW, 1 << 20);
    socket_buffers_send(&buffers, 10);
    expect(false, SOCKET_BUFFERS_NARROW, 0);
    socket_buffers_receive(&buffers, false);
    socket_buffers_receive(&buffers, false);
    expect(false, SOCKET_BUFFERS_FREE, 2 << 20);
    socket_buffers_send(&buffers, LARGE);
    expect(true, SOCKET_BUFFERS_FREE, (2 << 20) + LARGE);
    socket_buffers_narrow_receive(&buffers);
    expect(true, SOCKET_BUFFERS_NARROW, behind_window() + LARGE);
    socket_buffers_receive(&buffers, false);
    expect(true, SOCKET_BUFFERS_FREE, (2 << 20) + LARGE);
    socket_buffers_narrow(&buffers);
    expect(false, SOCKET_BUFFERS_NARROW, behind_window());
    room = SOCKET_BUFFERS_WINDOW_MOST;
    socket_buffers_receive(&buffers, false);
    expect(false, SOCKET_BUFFERS_LIMITED, SOCKET_BUFFERS_WINDOW_MOST);
}

UNIT_TEST(socket_buffers_are_limited_for_a_dropped_body_and_without_the_lease)
{
    socket_buffers_receive(&buffers, true);
    expect(false, SOCKET_BUFFERS_LIMITED, SOCKET_BUFFERS_WINDOW_MOST);
    socket_buffers_receive(&buffers, false);
    socket_buffers_send(&buffers, LARGE);
    expect(true, SOCKET_BUFFERS_LIMITED, SOCKET_BUFFERS_WINDOW_MOST + LARGE);
    socket_buffers_narrow(&buffers);
    expect(false, SOCKET_BUFFERS_NARROW, behind_window());
    room = (2 << 20) - 1;
    socket_buffers_receive(&buffers, false);
    expect(false, SOCKET_BUFFERS_LIMITED, SOCKET_BUFFERS_WINDOW_MOST);
    socket_buffers_free(&buffers);
    socket_buffers_init(&buffers, fd, &setup);
    room = SOCKET_BUFFERS_WINDOW_MOST - 1;
    socket_buffers_receive(&buffers, true);
    expect(false, SOCKET_BUFFERS_NARROW, 0);
    room = LARGE;
    socket_buffers_receive(&buffers, false);
    expect(false, SOCKET_BUFFERS_NARROW, 0);
    socket_buffers_send(&buffers, LARGE);
    expect(true, SOCKET_BUFFERS_NARROW, LARGE);
    socket_buffers_send(&buffers, LARGE + 1);
    expect(false, SOCKET_BUFFERS_NARROW, 0);
}

/* The kernel holds a reply for a client that reads nothing. */
UNIT_TEST(socket_buffers_keep_the_lease_of_what_is_unsent)
{
    static char reply[512 << 10];
    struct socket_buffers used;
    size_t unsent;
    int near, far;
    ssize_t sent;

    tcp_pair(&near, &far, 4096);
    socket_buffers_init(&used, near, &setup);
    socket_buffers_send(&used, sizeof(reply));
    sent = send(near, reply, sizeof(reply), MSG_DONTWAIT | MSG_NOSIGNAL);
    ck_assert_int_gt(sent, 50000);
    socket_buffers_send(&used, LARGE); /* what is unsent counts with it */
    ck_assert_uint_gt(leased, LARGE + 10000);
    socket_buffers_send(&used, sizeof(reply));
    ck_assert_uint_gt(leased, sizeof(reply) + 10000);
    unsent = leased;
    socket_buffers_send(&used, 10);
    ck_assert(!used.send_wide);
    ck_assert_uint_eq(leased, unsent);
    for (ssize_t got = 0; got < sent;)
        got += recv(far, reply, sizeof(reply), 0);
    for (int i = 0; i < 30000 && leased > 0; i++) {
        usleep(1000); /* until all is acknowledged */
        socket_buffers_narrow(&used);
    }
    ck_assert_uint_eq(leased, 0);
}

/* Sends what the client may, up to `most`, and only then receives it; its
 * length. */
static size_t receive_burst(int far, size_t most)
{
    static char data[1 << 20];
    size_t sent = 0, received = 0;
    ssize_t part = 1;

    for (; sent < most && part > 0; sent += part > 0 ? (size_t)part : 0)
        part = send(far, data, most < sizeof(data) ? most : sizeof(data),
                    MSG_DONTWAIT);
    while (received < sent) {
        part = recv(fd, data, sizeof(data), 0);
        ck_assert_int_gt(part, 0);
        received += (size_t)part;
    }
    return sent;
}

/* How often this process lost its processor. */
static long interruptions(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static unsigned sent_again(int far)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);

    ck_assert_int_eq(getsockopt(far, IPPROTO_TCP, TCP_INFO, &info, &len), 0);
    return info.tcpi_total_retrans;
}

/* What a client sends into the window that it has been told is kept: nothing is
 * sent again. Where this process had no processor for as long as TCP waits for
 * an acknowledgement, it is repeated all the same, and tells nothing. */
UNIT_TEST(socket_buffers_become_narrow_behind_the_window)
{
    int far, wide;
    unsigned before;
    long interrupted;

    if (!counts_bytes()) {
        puts("skipped: the window's end, for TCP_INFO is missing");
        return;
    }
    close(fd);
    tcp_pair(&fd, &far, 0);
    socket_buffers_init(&buffers, fd, &setup);
    socket_buffers_receive(&buffers, false);
    for (size_t sent = 0; sent < 16 << 20;)
        sent += receive_burst(far, SIZE_MAX);
    before = sent_again(far);
    interrupted = interruptions();
    wide = get(SO_RCVBUF);
    ck_assert_int_gt(wide, 1 << 20);
    socket_buffers_narrow(&buffers);
    ck_assert_int_eq(get(SO_RCVBUF), wide);
    ck_assert_int_eq(get_window(), 28192);
    ck_assert_uint_ge(receive_burst(far, 400000), 400000);
    ck_assert_uint_gt(leased, 0);
    for (int i = 0; i < 8000 && leased > 0; i++) {
        receive_burst(far, 16 << 10);
        socket_buffers_narrow(&buffers);
    }
    expect(false, SOCKET_BUFFERS_NARROW, 0);
    receive_burst(far, 16 << 10);
    if (interruptions() == interrupted)
        ck_assert_uint_eq(sent_again(far), before);
}

UNIT_TEST(socket_buffers_without_sizes_are_left_alone)
{
    static const struct socket_buffers_setup none = {.send = 0};
    struct socket_buffers alone;
    int send, receive;

    fd = socket(AF_INET, SOCK_STREAM, 0);
    send = get(SO_SNDBUF);
    receive = get(SO_RCVBUF);
    socket_buffers_init(&alone, fd, &none);
    socket_buffers_send(&alone, LARGE);
    socket_buffers_receive(&alone, false);
    socket_buffers_narrow(&alone);
    ck_assert_int_eq(get(SO_SNDBUF), send);
    ck_assert_int_eq(get(SO_RCVBUF), receive);
}

static void has_third(const char *path, size_t third)
{
    FILE *file = fopen(path, "r");
    size_t number;

    if (!file || fscanf(file, "%*d %*d %zu", &number) != 1)
        number = SIZE_MAX;
    ck_assert_uint_eq(third, number);
    if (file)
        fclose(file);
}

UNIT_TEST(socket_buffers_know_the_limits_of_the_system_and_have_room)
{
    struct socket_buffers_setup read = {.send = 1};
    int before = get(SO_SNDBUF);
    bool more = true;

    socket_buffers_read_most(&read);
    has_third("/proc/sys/net/ipv4/tcp_wmem", read.send_most);
    has_third("/proc/sys/net/ipv4/tcp_rmem", read.receive_most);
    for (int i = 0; i < 40 && more; i++) {
        more = socket_buffers_add_room(fd);
        ck_assert_int_eq(more, get(SO_SNDBUF) > before);
        before = get(SO_SNDBUF);
    }
    ck_assert(!more);
}

FIXTURE(set_up, tear_down)
