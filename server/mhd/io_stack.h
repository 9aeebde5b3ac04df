/* The layers of one connection, from libmicrohttpd's calls to the socket:
 *
 *     recv()             -> body_receive -> transport
 *     send(), sendmsg()  -> sliced_send  -> transport
 *
 * The transport is the plain socket or TLS. Loop thread only. */
#pragma once

#include <stdbool.h>

#include "server/mhd/body_receive.h"
#include "server/mhd/sliced_send.h"
#include "server/mhd/socket_io.h"

/* A socket as a layer. `self` is an int, its descriptor, which stays the
 * caller's. */
extern const struct socket_io plain_socket_io;

struct io_stack {
    int fd; /* libmicrohttpd's */
    struct socket_layer transport;
    struct body_receive receive;
    struct sliced_send send;
    bool established; /* the transport has no handshake, or has done it */
    bool refused;     /* the handshake failed */
    void (*on_established)(void *context); /* after a handshake */
    void (*on_refused)(void *context);     /* after one that failed */
    void *context; /* of the handlers and of the target */
};

/* Connects the layers; the stack must not move afterwards. Takes over the
 * transport; one without slots means the plain socket. The handlers and the
 * body's target are the caller's to set. */
void io_stack_init(struct io_stack *stack, int fd,
                   struct socket_layer transport, struct io_shared *shared);

/* Frees the transport. */
void io_stack_free(struct io_stack *stack);

/* For libmicrohttpd: as the system's recv() and sendmsg(). */
ssize_t io_stack_recv(struct io_stack *stack, void *data, size_t size);
ssize_t io_stack_sendv(struct io_stack *stack, const struct iovec *parts,
                       size_t count, int flags);

/* Ends our half of the connection, or with SHUT_RDWR both. */
int io_stack_shutdown(struct io_stack *stack, int how);

/* True if the client has sent bytes that were not received yet. */
bool io_stack_has_unread(const struct io_stack *stack);

/* True if the client has ended the connection, or its half of it. With `read`
 * the transport may receive to find out: only where libmicrohttpd calls recv()
 * later by itself, as after a suspension. */
bool io_stack_has_ended(struct io_stack *stack, bool read);
