/* The system calls of libmicrohttpd on its connections' sockets.
 *
 * The build renames recv(), send(), sendmsg(), shutdown() and epoll_wait() in
 * libmicrohttpd's archive, and nowhere else, to the functions below
 * (renamed.syms). A call on a socket goes to the connection's io_stack if the
 * calling thread's adapter has one for the descriptor, else to the system. And
 * malloc() and free(), so that a connection's memory is that of its slot. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "server/mhd/body_receive.h"
#include "server/mhd/engine.h"
#include "server/mhd/sliced_send.h"
#include "server/mhd/slots.h"
#include "server/socket/transport.h"

/* The layers of one connection, from libmicrohttpd's calls to the socket:
 *
 *     recv()             -> body_receive -> transport
 *     send(), sendmsg()  -> sliced_send  -> transport
 *
 * Loop thread only. */
struct io_stack {
    struct transport transport; /* its descriptor is libmicrohttpd's */
    struct body_receive receive;
    struct sliced_send send;
    bool in_request; /* libmicrohttpd has reported its line, not its end */
    bool unreported; /* bytes of a request not yet reported have come */
    bool incomplete; /* bytes of a request have come, but not its end */
    /* io_shared.rounds when a request was completed and the connection stayed
     * open, if no recv() or reply has followed; else 0. Bytes received with
     * that request may begin another. */
    uint64_t completed_round;
    bool half_closed;     /* the client sends nothing more */
    bool announced_close; /* the last reply says "Connection: close" */
    bool has_reply; /* a reply to this request was given to libmicrohttpd */
    bool drops;     /* libmicrohttpd's own error was replaced by ours */
    int status; /* of the last reply that was sent; 0: none since a request's
                 * end */
    const struct engine_handlers *handlers; /* borrowed, as their argument */
    void *owner;
    uint64_t request_from; /* receive.received when the request began */
};

/* To be called before the end of a request whose connection libmicrohttpd
 * closes. Where it has not even begun to send the reply, and the client has not
 * gone, the request has left no memory for the reply's head: it is refused. */
void io_stack_break_off(struct io_stack *stack);

/* To be called when what has arrived needs no answer of the stack's own. */
void io_stack_report(struct io_stack *stack);

/* Ends our half of the connection, or with SHUT_RDWR both. libmicrohttpd closes
 * without an answer on a request line that it cannot read at all, such as one
 * with a NUL or behind two empty lines: the handler of unparsed requests
 * answers such a client before. It may have sent that line together with the
 * request before, whose end libmicrohttpd then reports in the same round. */
int io_stack_shutdown(struct io_stack *stack, int how);

/* An engine's. Zeroed: without connections. One thread at a time. */
struct io_adapter {
    struct io_stack **stacks; /* owned list, borrowed parts; by descriptor */
    size_t size;              /* entries of it */
    struct io_shared shared;  /* of its connections */
    struct slots slots;       /* the same */
    void *adopting; /* borrowed: the state of the slot whose memory the next
                     * connection gets; NULL: none */
};

/* Borrows the stack until io_adapter_remove(), which does nothing when it is
 * not there. False without memory. */
bool io_adapter_add(struct io_adapter *adapter, struct io_stack *stack);
void io_adapter_remove(struct io_adapter *adapter,
                       const struct io_stack *stack);

/* Sets the adapter of the calling thread; NULL: none. Borrowed. */
void io_adapter_attach(struct io_adapter *adapter);

/* As the system's; called by libmicrohttpd. */
ssize_t io_adapter_recv(int fd, void *data, size_t size, int flags);
ssize_t io_adapter_send(int fd, const void *data, size_t size, int flags);
ssize_t io_adapter_sendmsg(int fd, const struct msghdr *message, int flags);
int io_adapter_shutdown(int fd, int how);

/* As the system's, but once returns 0 without a call when a body has unreported
 * bytes. */
int io_adapter_epoll_wait(int fd, struct epoll_event *events, int most,
                          int wait_ms);

/* As the system's, but the memory of a connection is a slot's. */
void *io_adapter_malloc(size_t size);
void io_adapter_free(void *memory);
