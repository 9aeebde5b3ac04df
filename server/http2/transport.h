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
    int fd; /* owned */
    struct socket_layer layer;
    bool established; /* there is no handshake, or it is done */
    bool wants_write; /* the handshake waits for space in the socket */
    struct socket_buffers buffers;
};

/* Takes the socket over. A layer without slots means the plain socket. The
 * transport must not move. Borrows the setup. */
void transport_open(struct transport *transport, int fd,
                    struct socket_layer layer,
                    const struct socket_buffers_setup *setup);

/* As recv(), into several parts one after the other, or only one where the
 * layer has no recvv(). Does the handshake first, and adds its time to
 * *handshake_ns. */
ssize_t transport_recv(struct transport *transport, const struct iovec *parts,
                       size_t count, uint64_t *handshake_ns);

/* As sendmsg(). */
ssize_t transport_send(struct transport *transport, const struct iovec *parts,
                       size_t count);

/* Ends our half: the peer reads the end behind what was sent. */
void transport_shutdown(struct transport *transport);

/* Closes the socket. */
void transport_close(struct transport *transport);
