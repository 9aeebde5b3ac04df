#include "server/mhd/io_adapter.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "server/http/connection.h"
#include "server/mhd/body_receive.h"
#include "server/mhd/fd_map.h"
#include "server/mhd/sliced_send.h"

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

void io_adapter_start(struct loop *loop)
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
        result = io_adapter_recv(connection, data + 1, size - 1, flags);
    return result > 0 ? result + 1 : 1;
}

ssize_t io_adapter_recv(struct connection *connection, void *data, size_t size,
                        int flags)
{
    if (connection->has_surplus)
        return receive_behind(connection, data, size, flags);
    if (connection->tls.session)
        return tls_stream_recv(connection, data, size);
    return __real_recv(connection->fd, data, size, flags);
}

ssize_t io_adapter_sendmsg(struct connection *connection,
                           const struct msghdr *message, int flags)
{
    if (connection->tls.session)
        return tls_stream_sendmsg(connection, message);
    return __real_sendmsg(connection->fd, message, flags);
}

ssize_t __wrap_recv(int fd, void *data, size_t size, int flags)
{
    struct connection *connection = fd_map_find(fd);

    if (!connection || (flags & MSG_PEEK))
        return __real_recv(fd, data, size, flags);
    if (connection->exchange.direct)
        return body_receive_recv(connection, data, size, flags);
    return io_adapter_recv(connection, data, size, flags);
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct connection *connection = fd_map_find(fd);

    if (!connection)
        return __real_sendmsg(fd, message, flags);
    if (connection->exchange.sliced)
        return sliced_send_sendmsg(connection, message, flags);
    return io_adapter_sendmsg(connection, message, flags);
}

ssize_t __wrap_send(int fd, const void *data, size_t size, int flags)
{
    struct connection *connection = fd_map_find(fd);
    /* sendmsg() does not write there; its type only cannot say so. */
    struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (!connection)
        return __real_send(fd, data, size, flags);
    if (connection->exchange.sliced)
        return sliced_send_sendmsg(connection, &message, flags);
    return io_adapter_sendmsg(connection, &message, flags);
}

int __wrap_shutdown(int fd, int how)
{
    struct connection *connection = fd_map_find(fd);

    if (connection && connection->tls.session)
        tls_stream_end(connection);
    return __real_shutdown(fd, how);
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int wait_ms)
{
    if (own && body_receive_has_unreported(own))
        return 0;
    return __real_epoll_wait(fd, events, most, wait_ms);
}
