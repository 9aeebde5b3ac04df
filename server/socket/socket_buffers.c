#include "server/socket/socket_buffers.h"

#include <limits.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/sockios.h>
#include <linux/tcp.h> /* has more of struct tcp_info than netinet/tcp.h */

#include "server/base/file_text.h"

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72 /* Linux 5.14 */
#endif

enum { LOCK_SEND = 1, LOCK_RECEIVE = 2 }; /* bits of SO_BUF_LOCK */

/* Bytes that may come with the body of a limited window. */
enum { HEADERS = 8 << 10 };

/* The third number of a file such as tcp_rmem. */
static size_t read_third(const char *path)
{
    char text[80];
    size_t most;

    return file_text_read(path, text, sizeof(text)) > 0 &&
                   sscanf(text, "%*u %*u %zu", &most) == 1
               ? most
               : SIZE_MAX;
}

void socket_buffers_read_most(struct socket_buffers_setup *setup)
{
    setup->send_most = read_third("/proc/sys/net/ipv4/tcp_wmem");
    setup->receive_most = read_third("/proc/sys/net/ipv4/tcp_rmem");
}

static void set(int fd, int option, int value)
{
    setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value));
}

/* Twice the value that was set. */
static int get(int fd, int option)
{
    int bytes = 0;
    socklen_t len = sizeof(bytes);

    getsockopt(fd, SOL_SOCKET, option, &bytes, &len);
    return bytes;
}

bool socket_buffers_add_room(int fd)
{
    int before = get(fd, SO_SNDBUF);

    set(fd, SO_SNDBUF, before);
    return get(fd, SO_SNDBUF) > before;
}

static void set_window(const struct socket_buffers *buffers, int window)
{
    setsockopt(buffers->fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window,
               sizeof(window));
}

/* A limited buffer counts the memory of packets, but its window is told from
 * the packets before: of smaller ones the client may send more than fits, which
 * the kernel drops and the client sends again after 200 ms (one of 100 bodies
 * of 0.8 MB at overload). So the window is at most half of the buffer. */
static void limit_window(const struct socket_buffers *buffers, int half)
{
    set_window(buffers, half + HEADERS);
}

size_t socket_buffers_queued(int fd, unsigned long which)
{
    int bytes = 0;

    return ioctl(fd, which, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

/* Bytes that have come; false where the system does not count them. */
static bool read_received(int fd, uint64_t *bytes)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_bytes_received) +
                  sizeof(info.tcpi_bytes_received))
        return false;
    *bytes = info.tcpi_bytes_received;
    return true;
}

static bool set_locks(const struct socket_buffers *buffers)
{
    int locks = (buffers->send_wide ? 0 : LOCK_SEND) |
                (buffers->receive == SOCKET_BUFFERS_FREE ? 0 : LOCK_RECEIVE);

    return setsockopt(buffers->fd, SOL_SOCKET, SO_BUF_LOCK, &locks,
                      sizeof(locks)) == 0;
}

/* Without its lock the kernel sizes a buffer itself, as at first. Before Linux
 * 5.14 it has no locks to set, and takes half of what is leased as a value,
 * reduced to its own limit. */
static void unlock(const struct socket_buffers *buffers, int option,
                   size_t most)
{
    if (!set_locks(buffers))
        set(buffers->fd, option,
            most / 2 < INT_MAX ? (int)(most / 2) : INT_MAX);
}

/* False without the lease, which stays as it was. */
static bool lease(const struct socket_buffers *buffers, size_t *leased,
                  size_t wanted)
{
    const struct socket_buffers_setup *setup = buffers->setup;

    if (wanted > *leased && !setup->take(setup->context, wanted - *leased))
        return false;
    if (wanted < *leased)
        setup->give(setup->context, *leased - wanted);
    *leased = wanted;
    return true;
}

void socket_buffers_init(struct socket_buffers *buffers, int fd,
                         const struct socket_buffers_setup *setup)
{
    *buffers = (struct socket_buffers){.setup = setup, .fd = fd};
    if (setup->send == 0)
        return;
    set(fd, SO_SNDBUF, setup->send);
    set(fd, SO_RCVBUF, setup->receive);
    limit_window(buffers, setup->receive);
}

static void narrow_send(struct socket_buffers *buffers)
{
    if (buffers->send_wide)
        set(buffers->fd, SO_SNDBUF, buffers->setup->send);
    buffers->send_wide = false;
    if (buffers->send_leased > 0 &&
        socket_buffers_queued(buffers->fd, SIOCOUTQ) <=
            (size_t)buffers->setup->send)
        lease(buffers, &buffers->send_leased, 0);
}

/* What the kernel may hold of it and of the replies before. */
static size_t most_of(const struct socket_buffers *buffers, size_t len)
{
    size_t most = buffers->setup->send_most, all;

    all =
        len < most ? len + socket_buffers_queued(buffers->fd, SIOCOUTQ) : most;
    return all < most ? all : most;
}

void socket_buffers_send(struct socket_buffers *buffers, size_t len)
{
    if (buffers->setup->send == 0)
        return;
    if (len < SOCKET_BUFFERS_LARGE ||
        !lease(buffers, &buffers->send_leased, most_of(buffers, len))) {
        narrow_send(buffers);
        return;
    }
    if (buffers->send_wide)
        return;
    buffers->send_wide = true;
    unlock(buffers, SO_SNDBUF, buffers->send_leased);
}

/* The kernel lets a narrow buffer grow late or, where the client is faster than
 * the loop, not at all: it counts the bytes that are taken in a round trip. */
static bool free_window(struct socket_buffers *buffers)
{
    size_t most = buffers->setup->receive_most;
    bool is_narrow = buffers->receive_leased == 0;

    if (!lease(buffers, &buffers->receive_leased, most))
        return false;
    if (is_narrow)
        set(buffers->fd, SO_RCVBUF, SOCKET_BUFFERS_WINDOW);
    buffers->receive = SOCKET_BUFFERS_FREE;
    set_window(buffers, INT_MAX);
    unlock(buffers, SO_RCVBUF, most);
    return true;
}

/* A buffer that is wider still stays as it is. */
static void limit(struct socket_buffers *buffers)
{
    if (buffers->receive_leased < SOCKET_BUFFERS_WINDOW_MOST) {
        if (!lease(buffers, &buffers->receive_leased,
                   SOCKET_BUFFERS_WINDOW_MOST))
            return;
        set(buffers->fd, SO_RCVBUF, SOCKET_BUFFERS_WINDOW);
    }
    buffers->receive = SOCKET_BUFFERS_LIMITED;
    limit_window(buffers, SOCKET_BUFFERS_WINDOW);
}

void socket_buffers_receive(struct socket_buffers *buffers, bool dropped)
{
    if (buffers->setup->receive == 0 ||
        buffers->receive != SOCKET_BUFFERS_NARROW)
        return;
    if (dropped || !free_window(buffers))
        limit(buffers);
}

/* The window narrows as the client uses what it has been told: not by more than
 * the buffer. */
static void close_window(struct socket_buffers *buffers)
{
    size_t bytes = (size_t)get(buffers->fd, SO_RCVBUF);

    buffers->receive = SOCKET_BUFFERS_NARROW;
    limit_window(buffers, buffers->setup->receive);
    set_locks(buffers);
    buffers->told = 0;
    if (read_received(buffers->fd, &buffers->told))
        buffers->told += bytes;
    if (bytes < buffers->receive_leased)
        lease(buffers, &buffers->receive_leased, bytes);
}

static bool is_closed(const struct socket_buffers *buffers)
{
    uint64_t received = 0;

    if (socket_buffers_queued(buffers->fd, SIOCINQ) > 0)
        return false;
    read_received(buffers->fd, &received);
    return received >= buffers->told;
}

void socket_buffers_narrow_receive(struct socket_buffers *buffers)
{
    if (buffers->receive != SOCKET_BUFFERS_NARROW)
        close_window(buffers);
    if (buffers->receive_leased == 0 || !is_closed(buffers))
        return;
    set(buffers->fd, SO_RCVBUF, buffers->setup->receive);
    lease(buffers, &buffers->receive_leased, 0);
}

void socket_buffers_narrow(struct socket_buffers *buffers)
{
    narrow_send(buffers);
    socket_buffers_narrow_receive(buffers);
}

void socket_buffers_free(struct socket_buffers *buffers)
{
    lease(buffers, &buffers->send_leased, 0);
    lease(buffers, &buffers->receive_leased, 0);
}
