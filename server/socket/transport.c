#include "server/socket/transport.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"

static ssize_t socket_recv(void *self, void *data, size_t size)
{
    return recv(*(const int *)self, data, size, 0);
}

static ssize_t socket_recvv(void *self, const struct iovec *parts, size_t count)
{
    /* recvmsg() only reads the parts; its type cannot say so. */
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts,
                             .msg_iovlen = count};

    return recvmsg(*(const int *)self, &message, 0);
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
    .recvv = socket_recvv,
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

void transport_open(struct transport *transport, int fd,
                    struct socket_layer layer,
                    const struct socket_buffers_setup *setup)
{
    transport->fd = fd;
    transport->layer =
        layer.io ? layer
                 : (struct socket_layer){&plain_socket_io, &transport->fd};
    transport->established = !transport->layer.io->handshake;
    socket_buffers_init(&transport->buffers, fd, setup);
}

ssize_t transport_handshake(struct transport *transport, uint64_t *handshake_ns)
{
    const struct socket_layer *layer = &transport->layer;
    uint64_t from = clock_now_ns();
    ssize_t result;

    REQUIRE(!transport->established);
    result = layer->io->handshake(layer->self);
    *handshake_ns += clock_now_ns() - from;
    transport->established = result == 1;
    return result;
}

/* EINTR asks to be called again without waiting to read: the handshake has
 * something to send and no space for it. */
static ssize_t shake_hands(struct transport *transport, uint64_t *handshake_ns)
{
    ssize_t result = transport_handshake(transport, handshake_ns);

    transport->wants_write = result < 0 && errno == EINTR;
    if (transport->wants_write)
        errno = EAGAIN;
    return result;
}

ssize_t transport_recv(struct transport *transport, const struct iovec *parts,
                       size_t count, uint64_t *handshake_ns)
{
    const struct socket_layer *layer = &transport->layer;
    ssize_t result;

    if (!transport->established) {
        result = shake_hands(transport, handshake_ns);
        if (!transport->established)
            return result;
    }
    do
        result = count > 1 ? layer->io->recvv(layer->self, parts, count)
                           : layer->io->recv(layer->self, parts->iov_base,
                                             parts->iov_len);
    while (result < 0 && errno == EINTR);
    return result;
}

ssize_t transport_send(struct transport *transport, const struct iovec *parts,
                       size_t count)
{
    const struct socket_layer *layer = &transport->layer;
    ssize_t result;

    do
        result = layer->io->sendv(layer->self, parts, count,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
    while (result < 0 && errno == EINTR);
    return result;
}

bool transport_has_unread(const struct transport *transport)
{
    const struct socket_layer *layer = &transport->layer;

    return peek(transport->fd) > 0 ||
           (layer->io->pending && layer->io->pending(layer->self));
}

int transport_shutdown(struct transport *transport, int how)
{
    const struct socket_layer *layer = &transport->layer;

    if (layer->io->shutdown)
        layer->io->shutdown(layer->self);
    return shutdown(transport->fd, how);
}

void transport_free_layer(struct transport *transport)
{
    const struct socket_layer *layer = &transport->layer;

    if (layer->io->free)
        layer->io->free(layer->self);
    transport->layer = (struct socket_layer){&plain_socket_io, &transport->fd};
}

void transport_free(struct transport *transport)
{
    transport_free_layer(transport);
    socket_buffers_free(&transport->buffers);
}
