#include "server/http2/transport.h"

#include <errno.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/socket/socket_io.h"

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

/* EINTR asks to be called again without waiting to read: the handshake has
 * something to send and no space for it. */
static ssize_t shake_hands(struct transport *transport, uint64_t *handshake_ns)
{
    const struct socket_layer *layer = &transport->layer;
    uint64_t from = clock_now_ns();
    ssize_t result = layer->io->handshake(layer->self);

    *handshake_ns += clock_now_ns() - from;
    transport->established = result == 1;
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

void transport_shutdown(struct transport *transport)
{
    const struct socket_layer *layer = &transport->layer;

    if (layer->io->shutdown)
        layer->io->shutdown(layer->self);
    shutdown(transport->fd, SHUT_WR);
}

void transport_close(struct transport *transport)
{
    const struct socket_layer *layer = &transport->layer;

    if (layer->io->free)
        layer->io->free(layer->self);
    socket_buffers_free(&transport->buffers);
    close(transport->fd);
    transport->fd = -1;
}
