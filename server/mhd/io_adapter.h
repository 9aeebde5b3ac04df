/* libmicrohttpd's calls of recv(), send(), sendmsg(), shutdown() and
 * epoll_wait() (the linker's --wrap): to the system as they are, by intake.h
 * and outlet.h where something large is under way, and through TLS where the
 * connection has it.
 *
 * With a shared libmicrohttpd nothing is wrapped, and it does all by itself,
 * but cannot have TLS: engine_is_ours(). */
#pragma once

#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

struct connection;
struct loop;

/* The loop of the calling thread. */
void io_adapter_start(struct loop *loop);

/* recv() and sendmsg() on the connection's socket, in the plain; first comes
 * the connection's surplus byte. Loop thread. */
ssize_t io_adapter_recv(struct connection *connection, void *data, size_t size,
                        int flags);
ssize_t io_adapter_sendmsg(struct connection *connection,
                           const struct msghdr *message, int flags);
