/* A large answer's way out: in slices, so that the loop's other connections
 * have their turns between them.
 *
 * libmicrohttpd gives a whole answer to one system call, which goes on for as
 * long as the client makes room: tens of megabytes at a time. Its calls of
 * send() and sendmsg() are answered here instead (calls.h): one slice goes out,
 * and libmicrohttpd is told that it was interrupted (EINTR), upon which it asks
 * again in its next turn. It is told what has gone once the socket is full, for
 * only then does the kernel announce new room, or once everything has. Until
 * then no other large answer of the loop goes out: mixed, they would push each
 * other out of the cache.
 *
 * Loop thread only. */
#pragma once

#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

struct connection;

enum { SLICED_SEND_BYTES = 1 << 20 }; /* bytes of one system call */

/* Takes over if an answer of `len` bytes is worth it. With the answer, before
 * libmicrohttpd sends any of it. */
void sliced_send_start(struct connection *connection, size_t len);

/* sendmsg() for libmicrohttpd, while exchange.sliced. */
ssize_t sliced_send_sendmsg(struct connection *connection,
                            const struct msghdr *whole, int flags);

/* Lets the next large answer go out; again does nothing. */
void sliced_send_stop(struct connection *connection);
