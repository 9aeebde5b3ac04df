#include "server/mhd/socket_buffers.h"

#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/sockios.h>

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72 /* Linux 5.14 */
#endif

enum { LOCK_SEND = 1, LOCK_RECEIVE = 2 }; /* bits of SO_BUF_LOCK */

/* Bytes that may come with the body of a limited window. */
enum { HEADERS = 8 << 10 };

/* The third number of a file such as tcp_rmem. */
static size_t read_third(const char *path)
{
    FILE *file = fopen(path, "re");
    size_t most;
    int found;

    if (!file)
        return SIZE_MAX;
    found = fscanf(file, "%*u %*u %zu", &most);
    fclose(file);
    return found == 1 ? most : SIZE_MAX;
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

/* A limited buffer counts the memory of packets, but its window is told from
 * the packets before: of smaller ones the client may send more than fits, which
 * the kernel drops and the client sends again after 200 ms (one of 100 bodies
 * of 0.8 MB at overload). So the window is at most half of the buffer. */
static void set_receive(const struct socket_buffers *buffers, int size)
{
    int window = size + HEADERS;

    set(buffers->fd, SO_RCVBUF, size);
    setsockopt(buffers->fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window,
               sizeof(window));
}

static void open_window(const struct socket_buffers *buffers)
{
    int window = INT_MAX;

    setsockopt(buffers->fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window,
               sizeof(window));
}

size_t socket_buffers_queued(int fd, unsigned long which)
{
    int bytes = 0;

    return ioctl(fd, which, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

/* Without its lock the kernel sizes a buffer itself, as at first. Before Linux
 * 5.14 it has no locks to set, and takes half of what is leased as a value,
 * reduced to its own limit. */
static void unlock(const struct socket_buffers *buffers, int option,
                   size_t most)
{
    int locks = (buffers->send_wide ? 0 : LOCK_SEND) |
                (buffers->receive == SOCKET_BUFFERS_FREE ? 0 : LOCK_RECEIVE);

    if (setsockopt(buffers->fd, SOL_SOCKET, SO_BUF_LOCK, &locks,
                   sizeof(locks)) != 0)
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
    set_receive(buffers, setup->receive);
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

static bool free_window(struct socket_buffers *buffers)
{
    size_t most = buffers->setup->receive_most;

    if (!lease(buffers, &buffers->receive_leased, most))
        return false;
    buffers->receive = SOCKET_BUFFERS_FREE;
    open_window(buffers);
    unlock(buffers, SO_RCVBUF, most);
    return true;
}

static void limit_window(struct socket_buffers *buffers)
{
    if (buffers->receive_leased < SOCKET_BUFFERS_WINDOW_MOST &&
        !lease(buffers, &buffers->receive_leased, SOCKET_BUFFERS_WINDOW_MOST))
        return;
    buffers->receive = SOCKET_BUFFERS_LIMITED;
    set_receive(buffers, SOCKET_BUFFERS_WINDOW);
}

void socket_buffers_receive(struct socket_buffers *buffers, bool dropped)
{
    if (buffers->setup->receive == 0 ||
        buffers->receive != SOCKET_BUFFERS_NARROW)
        return;
    if (dropped || !free_window(buffers))
        limit_window(buffers);
}

void socket_buffers_narrow_receive(struct socket_buffers *buffers)
{
    if (buffers->receive != SOCKET_BUFFERS_NARROW)
        set_receive(buffers, buffers->setup->receive);
    buffers->receive = SOCKET_BUFFERS_NARROW;
    if (buffers->receive_leased > 0 &&
        socket_buffers_queued(buffers->fd, SIOCINQ) == 0)
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
