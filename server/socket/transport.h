/* The transport of a client's connection: its socket, plain or below TLS, and
 * the kernel's buffers of it. Loop thread only.
 *
 * recv() and sendv() return what the system's recv() and sendmsg() return on a
 * socket that does not block: a count, or -1 and errno. A count below the one
 * that was asked for means that the socket is empty, or full. EINTR means that
 * the caller is to call again without waiting for the socket. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "server/socket/socket_buffers.h"

struct socket_io {
    ssize_t (*recv)(void *self, void *data, size_t size);
    ssize_t (*sendv)(void *self, const struct iovec *parts, size_t count,
                     int flags);

    /* The slots from here on may be NULL: the transport has nothing to do. */

    /* Tells the peer that no more bytes are sent; the socket's own half is
     * closed afterwards. */
    void (*shutdown)(void *self);
    /* True if recv() has bytes that the socket no longer has. */
    bool (*pending)(const void *self);
    /* Called in the place of recv() until it returns 1. Another result is that
     * of recv(). */
    ssize_t (*handshake)(void *self);
    /* True if the peer has ended the connection in the transport's own
     * protocol. With `read`, it may receive to find out. */
    bool (*has_ended)(void *self, bool read);
    /* As recv(), into several parts, one after the other. */
    ssize_t (*recvv)(void *self, const struct iovec *parts, size_t count);
    /* As recv(), for refused bytes: they are not copied. */
    ssize_t (*drop)(void *self, size_t size);
    /* Makes the socket readable only when `bytes` have arrived, 1 or more.
     * False: it stays as it was. */
    bool (*set_lowat)(void *self, int bytes);
    /* The fault that ended the transport, a static text; NULL: none. */
    const char *(*fault)(const void *self);
    void (*free)(void *self);
};

struct socket_layer {
    const struct socket_io *io;
    void *self; /* the first argument of each slot */
};

/* The socket as the transport. `self` is an int, its descriptor, which stays
 * the caller's. */
extern const struct socket_io plain_socket_io;

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

/* As the slot of that name. Adds the time that it takes to *handshake_ns. */
ssize_t transport_handshake(struct transport *transport,
                            uint64_t *handshake_ns);

/* As recv(), into several parts one after the other, or only one where the
 * layer has no recvv(). Does the handshake first. */
ssize_t transport_recv(struct transport *transport, const struct iovec *parts,
                       size_t count, uint64_t *handshake_ns);

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

/* True if the client has ended the connection or its half, and nothing that it
 * has sent is left to receive. */
bool socket_has_ended(int fd);

/* True if the kernel holds more than 4 KiB that the client has not taken: a
 * socket may be closed on less, such as most replies of refusals. */
bool socket_has_unsent(int fd);

/* To be called before such a socket is closed: the kernel goes on with the last
 * bytes, but not for minutes. */
void socket_leave_to_kernel(int fd);

/* Lets close() reset the connection: the kernel drops the bytes that the client
 * has not taken. */
void socket_reset_at_close(int fd);
