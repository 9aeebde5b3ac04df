/* libmicrohttpd's calls of recv(), send() and sendmsg() (the linker's --wrap):
 * to the system as they are, or by intake.h and outlet.h where something large
 * is under way.
 *
 * With a shared libmicrohttpd nothing is wrapped, and it does all by itself. */
#pragma once

#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

struct connection;

/* recv() and sendmsg() on the connection's socket, in the plain. Loop
 * thread. */
ssize_t calls_recv(struct connection *connection, void *data, size_t size,
                   int flags);
ssize_t calls_sendmsg(struct connection *connection,
                      const struct msghdr *message, int flags);
