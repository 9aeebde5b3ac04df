#include "server/calls.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "server/connection.h"
#include "server/intake.h"
#include "server/large.h"
#include "server/outlet.h"

/* What is called in the place of the system's, and the system's. */
ssize_t __wrap_recv(int fd, void *data, size_t size, int flags);
ssize_t __real_recv(int fd, void *data, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags);
ssize_t __real_send(int fd, const void *data, size_t size, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
int __wrap_shutdown(int fd, int how);
int __real_shutdown(int fd, int how);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most,
                      int wait_ms);
int __real_epoll_wait(int fd, struct epoll_event *events, int most,
                      int wait_ms);

static _Thread_local struct loop *own; /* borrowed */

void calls_start(struct loop *loop)
{
    own = loop;
}

/* What recv() gives of what lies behind a byte that is here. */
static ssize_t receive_behind(struct connection *connection, char *data,
                              size_t size, int flags)
{
    ssize_t result = 0;

    connection->has_surplus = false;
    data[0] = (char)connection->surplus;
    if (size > 1)
        result = calls_recv(connection, data + 1, size - 1, flags);
    return result > 0 ? result + 1 : 1;
}

ssize_t calls_recv(struct connection *connection, void *data, size_t size,
                   int flags)
{
    if (connection->has_surplus)
        return receive_behind(connection, data, size, flags);
    if (connection->tls.session)
        return tls_stream_recv(connection, data, size);
    return __real_recv(connection->fd, data, size, flags);
}

ssize_t calls_sendmsg(struct connection *connection,
                      const struct msghdr *message, int flags)
{
    if (connection->tls.session)
        return tls_stream_sendmsg(connection, message);
    return __real_sendmsg(connection->fd, message, flags);
}

ssize_t __wrap_recv(int fd, void *data, size_t size, int flags)
{
    struct connection *connection = large_find(fd);

    if (!connection || (flags & MSG_PEEK))
        return __real_recv(fd, data, size, flags);
    if (connection->exchange.direct)
        return intake_recv(connection, data, size, flags);
    return calls_recv(connection, data, size, flags);
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct connection *connection = large_find(fd);

    if (!connection)
        return __real_sendmsg(fd, message, flags);
    if (connection->exchange.sliced)
        return outlet_sendmsg(connection, message, flags);
    return calls_sendmsg(connection, message, flags);
}

ssize_t __wrap_send(int fd, const void *data, size_t size, int flags)
{
    struct connection *connection = large_find(fd);
    /* sendmsg() does not write there; its type only cannot say so. */
    struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (!connection)
        return __real_send(fd, data, size, flags);
    if (connection->exchange.sliced)
        return outlet_sendmsg(connection, &message, flags);
    return calls_sendmsg(connection, &message, flags);
}

int __wrap_shutdown(int fd, int how)
{
    struct connection *connection = large_find(fd);

    if (connection && connection->tls.session)
        tls_stream_end(connection);
    return __real_shutdown(fd, how);
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int wait_ms)
{
    if (own && intake_has_untold(own))
        return 0;
    return __real_epoll_wait(fd, events, most, wait_ms);
}
