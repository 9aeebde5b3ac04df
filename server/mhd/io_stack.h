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
#include "server/socket/socket_buffers.h"
#include "server/socket/socket_io.h"

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
    bool has_left;  /* the client sends nothing more */
    bool is_last;   /* the last reply says that the connection is closed */
    bool has_reply; /* a reply to this request was given to libmicrohttpd */
    bool drops;     /* libmicrohttpd's own error was replaced by ours */
    int status; /* of the last reply that was sent; 0: none since a request's
                 * end */
    void (*on_established)(void *context); /* after a handshake */
    void (*on_refused)(void *context);     /* after one that failed */
    void (*on_received)(void *context);    /* bytes, after the handshake */
    /* libmicrohttpd refuses a request: to be answered by engine_send_early().
     */
    void (*on_unparsed)(void *context, int status, const char *text,
                        bool head_only);
    void *context; /* of the handlers and of the target */
    struct socket_buffers buffers;
    uint64_t request_from; /* receive.received when the request began */
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

/* To be called before the end of a request whose connection libmicrohttpd
 * closes. Where it has not even begun to send the reply, and the client has not
 * gone, the request has left no memory for the reply's head: it is refused. */
void io_stack_break_off(struct io_stack *stack);

/* To be called at the end of a request whose reply was sent whole. */
void io_stack_complete(struct io_stack *stack);

/* To be called when what has arrived needs no answer of the stack's own. */
void io_stack_report(struct io_stack *stack);

/* As recv(), for libmicrohttpd: does the handshake first. */
ssize_t io_stack_recv(struct io_stack *stack, void *data, size_t size);

/* As sendmsg(), for libmicrohttpd. An error of its own is not sent: the handler
 * sends another one in its place. */
ssize_t io_stack_sendv(struct io_stack *stack, const struct iovec *parts,
                       size_t count, int flags);

/* Ends our half of the connection, or with SHUT_RDWR both. libmicrohttpd closes
 * without an answer on a request line that it cannot read at all, such as one
 * with a NUL or behind two empty lines: the handler of unparsed requests
 * answers such a client before. It may have sent that line together with the
 * request before, whose end libmicrohttpd then reports in the same turn. */
int io_stack_shutdown(struct io_stack *stack, int how);
