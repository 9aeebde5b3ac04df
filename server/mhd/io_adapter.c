#include "server/mhd/io_adapter.h"

#include <stdint.h>

/* Calls of epoll_wait() that are skipped in a row at most: so often, sockets of
 * other connections that have become ready wait for one turn more. */
enum { SKIPPED_WAITS = 16 };

static _Thread_local struct io_adapter *own; /* borrowed */

void io_adapter_attach(struct io_adapter *adapter)
{
    own = adapter;
}

static struct io_stack *find(int fd, enum io_call call)
{
    if (!own)
        return NULL;
    own->arrived |= 1u << call;
    return fd_map_find(&own->stacks, fd);
}

ssize_t io_adapter_recv(int fd, void *data, size_t size, int flags)
{
    struct io_stack *stack = find(fd, IO_RECV);

    if (!stack || (flags & MSG_PEEK))
        return recv(fd, data, size, flags);
    return io_stack_recv(stack, data, size);
}

ssize_t io_adapter_send(int fd, const void *data, size_t size, int flags)
{
    struct io_stack *stack = find(fd, IO_SEND);
    /* sendmsg() does not write there; its type only cannot say so. */
    struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};

    if (!stack)
        return send(fd, data, size, flags);
    return io_stack_sendv(stack, &part, 1, flags);
}

ssize_t io_adapter_sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct io_stack *stack = find(fd, IO_SENDMSG);

    if (!stack)
        return sendmsg(fd, message, flags);
    return io_stack_sendv(stack, message->msg_iov, message->msg_iovlen, flags);
}

int io_adapter_shutdown(int fd, int how)
{
    struct io_stack *stack = find(fd, IO_SHUTDOWN);

    return stack ? io_stack_shutdown(stack, how) : shutdown(fd, how);
}

static bool skips_wait(struct io_shared *shared)
{
    bool skips =
        shared->has_unreported && shared->skipped_waits < SKIPPED_WAITS;

    shared->has_unreported = false;
    shared->skipped_waits = skips ? shared->skipped_waits + 1 : 0;
    return skips;
}

int io_adapter_epoll_wait(int fd, struct epoll_event *events, int most,
                          int wait_ms)
{
    if (own)
        own->arrived |= 1u << IO_EPOLL_WAIT;
    if (own && skips_wait(own->shared))
        return 0;
    return epoll_wait(fd, events, most, wait_ms);
}
