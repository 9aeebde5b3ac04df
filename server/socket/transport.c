#include "server/socket/transport.h"

#include <errno.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"

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

ssize_t transport_recv(struct transport *transport, void *data, size_t size,
                       uint64_t *handshake_ns)
{
    const struct socket_layer *layer = &transport->layer;
    ssize_t result;

    if (!transport->established) {
        result = shake_hands(transport, handshake_ns);
        if (!transport->established)
            return result;
    }
    do
        result = layer->io->recv(layer->self, data, size);
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

    return socket_has_unread(transport->fd) ||
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
