#include "server/socket/socket_io.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "server/socket/socket_buffers.h"

static ssize_t socket_recv(void *self, void *data, size_t size)
{
    return recv(*(const int *)self, data, size, 0);
}

/* A unix socket copies all the same, and takes no null pointer. The thread
 * sanitizer would take recv() for a write to address 0 by all loops. */
static ssize_t socket_drop(void *self, size_t size)
{
    char dropped[16 << 10];
    ssize_t result = syscall(SYS_recvfrom, *(const int *)self, NULL, size,
                             MSG_TRUNC, NULL, NULL);

    if (result >= 0 || errno != EFAULT)
        return result;
    return recv(*(const int *)self, dropped,
                size < sizeof(dropped) ? size : sizeof(dropped), 0);
}

static ssize_t socket_sendv(void *self, const struct iovec *parts, size_t count,
                            int flags)
{
    /* sendmsg() does not write there; its type only cannot say so. */
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts,
                             .msg_iovlen = count};

    return sendmsg(*(const int *)self, &message, flags);
}

static bool socket_set_lowat(void *self, int bytes)
{
    return setsockopt(*(const int *)self, SOL_SOCKET, SO_RCVLOWAT, &bytes,
                      sizeof(bytes)) == 0;
}

const struct socket_io plain_socket_io = {
    .recv = socket_recv,
    .sendv = socket_sendv,
    .drop = socket_drop,
    .set_lowat = socket_set_lowat,
};

/* What recv() finds, without receiving. */
static ssize_t peek(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

bool socket_has_ended(int fd)
{
    ssize_t got = peek(fd);

    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

bool socket_has_unread(int fd)
{
    return peek(fd) > 0;
}

/* The kernel goes on to count the bytes of a connection that the client has
 * reset. */
static bool is_reset_by_client(int fd)
{
    unsigned char state = TCP_ESTABLISHED; /* the first field of a tcp_info */
    socklen_t len = sizeof(state);

    getsockopt(fd, IPPROTO_TCP, TCP_INFO, &state, &len);
    return state == TCP_CLOSE;
}

bool socket_has_unsent(int fd)
{
    return socket_buffers_queued(fd, SIOCOUTQ) > (4 << 10) &&
           !is_reset_by_client(fd);
}

/* It fails on a unix socket, which has nothing to wait for. */
void socket_leave_to_kernel(int fd)
{
    unsigned ms = 10000;

    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

void socket_reset_at_close(int fd)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}
