/* The system calls of libmicrohttpd on its connections' sockets.
 *
 * The build renames recv(), send(), sendmsg() and shutdown() in libmicrohttpd's
 * archive, and nowhere else, to the functions below (renamed.syms). A call on a
 * socket goes to the connection's io_stack if the calling thread's adapter has
 * one for the descriptor, else to the system. And malloc() and free(), so that
 * the memory of a connection is that of its slot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "server/mhd/io_stack.h"
#include "server/mhd/slots.h"

enum io_call {
    IO_RECV,
    IO_SEND,
    IO_SENDMSG,
    IO_SHUTDOWN,
    IO_CALLS,
};

/* An engine's. Zeroed: without connections. One thread at a time. */
struct io_adapter {
    struct io_stack **stacks; /* owned list, borrowed parts; by descriptor */
    size_t size;              /* entries of it */
    unsigned arrived;         /* bit 1 << enum io_call: it was called */
    struct slots *slots;      /* borrowed; the engine's, or NULL */
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

/* As the system's, but the memory of a connection is a slot's. */
void *io_adapter_malloc(size_t size);
void io_adapter_free(void *memory);
