/* The layers of one connection, from libmicrohttpd's calls to the socket:
 *
 *     recv()             -> body_receive -> transport
 *     send(), sendmsg()  -> sliced_send  -> transport
 *
 * Loop thread only. */
#pragma once

#include <stdbool.h>

#include "server/mhd/body_receive.h"
#include "server/mhd/sliced_send.h"
#include "server/mhd/socket_buffers.h"
#include "server/mhd/socket_io.h"

/* The socket as the transport. `self` is an int, its descriptor, which stays
 * the caller's. */
extern const struct socket_io plain_socket_io;

enum {
    /* Bytes that libmicrohttpd has for a connection: its request line, headers,
     * and what is read of the body at a time. They are cleared for each
     * request, so more is slower: 4 KiB POSTs ran at 171 k/s with 32 KiB and 62
     * k/s with 256 KiB. */
    IO_STACK_MEMORY = 32 << 10,
    IO_STACK_PAGE = 4 << 10, /* their alignment */
};

struct io_stack {
    int fd; /* libmicrohttpd's */
    struct socket_layer transport;
    struct body_receive receive;
    struct sliced_send send;
    bool established; /* the transport has no handshake, or has done it */
    bool refused;     /* the handshake failed */
    bool in_request;  /* libmicrohttpd has reported its line, not its end */
    bool has_begun;   /* bytes have come of a request not yet reported */
    bool is_partial;  /* bytes have come of a request, and not yet its end */
    /* io_shared.turns when a request was completed, the connection was kept,
     * and no recv() or reply has followed; 0: never. Bytes that came with that
     * request may begin another. */
    uint64_t completed_turn;
    bool has_left; /* the client sends nothing more */
    bool is_last;  /* the last reply says that the connection is closed */
    int status;    /* of the last reply that was sent; 0: none since a request's
                    * end */
    void (*on_established)(void *context); /* after a handshake */
    void (*on_refused)(void *context);     /* after one that failed */
    void (*on_received)(void *context);    /* bytes, after the handshake */
    void *context; /* of the handlers and of the target */
    struct socket_buffers buffers;
    uint64_t request_from; /* receive.received when the request began */
    void *memory; /* libmicrohttpd's for the connection; NULL: not known yet */
};

/* Connects the layers; the stack must not move afterwards. A transport without
 * slots means the plain socket. The handlers, the body's target and the end of
 * the transport are the caller's. */
void io_stack_init(struct io_stack *stack, int fd,
                   struct socket_layer transport, struct io_shared *shared);

/* Frees the transport; the plain socket takes its place. */
void io_stack_free_transport(struct io_stack *stack);

/* To be called when a request begins or ends: no reply to it was sent. */
void io_stack_forget_reply(struct io_stack *stack);

/* To be called at the end of a request whose reply was sent whole. */
void io_stack_complete(struct io_stack *stack);

/* To be called when what has arrived needs no answer of the stack's own. */
void io_stack_report(struct io_stack *stack);

/* As recv(), for libmicrohttpd: does the handshake first. */
ssize_t io_stack_recv(struct io_stack *stack, void *data, size_t size);

/* Gives the pages of the connection's memory back to the system if they hold
 * zeros only, as they do between two requests: nobody can see a difference. */
void io_stack_trim(struct io_stack *stack);

/* As sendmsg(), for libmicrohttpd. */
ssize_t io_stack_sendv(struct io_stack *stack, const struct iovec *parts,
                       size_t count, int flags);

/* Ends our half of the connection, or with SHUT_RDWR both. libmicrohttpd closes
 * without an answer on a request line that it cannot read at all, such as one
 * with a NUL or behind two empty lines: such a client gets a 400 before. It may
 * have sent that line together with the request before, whose end
 * libmicrohttpd then reports in the same turn. */
int io_stack_shutdown(struct io_stack *stack, int how);
