/* The socket of a connection, with or without TLS, and its kernel buffers. Loop
 * thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "server/socket/socket_buffers.h"
#include "server/socket/socket_io.h"

struct transport {
    int fd;
    struct socket_layer layer;
    bool established; /* there is no handshake, or it is done */
    bool wants_write; /* transport_recv() waits for space in the socket */
    struct socket_buffers buffers;
};

/* Borrows the socket and the setup, and takes the layer over; one without slots
 * means the plain socket. The transport must not move. */
void transport_open(struct transport *transport, int fd,
                    struct socket_layer layer,
                    const struct socket_buffers_setup *setup);

/* As struct socket_io says. Adds the time that it takes to *handshake_ns. */
ssize_t transport_handshake(struct transport *transport,
                            uint64_t *handshake_ns);

/* As recv(). Does the handshake first. */
ssize_t transport_recv(struct transport *transport, void *data, size_t size,
                       uint64_t *handshake_ns);

/* As sendmsg(). */
ssize_t transport_send(struct transport *transport, const struct iovec *parts,
                       size_t count);

/* True if bytes have come that were not received yet. */
bool transport_has_unread(const struct transport *transport);

/* As shutdown(): the peer reads the end behind what was sent. */
int transport_shutdown(struct transport *transport, int how);

/* Frees the layer; the plain socket takes its place. */
void transport_free_layer(struct transport *transport);

/* Frees the layer, and gives the leases of the kernel's buffers back: the
 * socket is being closed. */
void transport_free(struct transport *transport);
