/* A large body's way past libmicrohttpd, straight into its buffer.
 *
 * libmicrohttpd receives at most half of a connection's memory at a time and
 * hands it on to be copied. While a large body of known length comes in, its
 * calls of recv() are answered here instead (calls.h): the bytes are received
 * into the body, many at once, and libmicrohttpd is only told how many there
 * were, never more than it asked for. It then hands on as many bytes without
 * meaning, which body_receive_skip() tells from real ones. As long as it has
 * not been told of all, it takes its turns without asking the kernel what is
 * ready.
 *
 * It takes a short count for a sign that the socket is dry, and then waits to
 * hear of more, so that must be true. At the body's end a byte more is asked
 * for: mostly it does not come, and there is nothing to ask again for; when it
 * does it is given back with what follows (io_adapter_recv()).
 *
 * The socket speaks up (SO_RCVLOWAT) only when a good deal of the body has
 * come, or the rest of it: each time takes a wake-up and several calls, which
 * for bodies of a MiB were a quarter of the time.
 *
 * The loop waits for most of the time that a large body takes to come. What has
 * just been received is in the processor's caches: api_read_early() looks at
 * it.
 *
 * Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct connection;
struct exchange;
struct loop;

/* Takes over if the announced body is worth it. With the headers, when the
 * request is admitted. */
void body_receive_start(struct connection *connection);

/* Leaves the rest to libmicrohttpd; again does nothing. */
void body_receive_stop(struct connection *connection);

/* recv() for libmicrohttpd, while exchange.direct. */
ssize_t body_receive_recv(struct connection *connection, void *data,
                          size_t size, int flags);

/* Of the next `len` bytes that libmicrohttpd hands on: how many, from the
 * first, are in the body already. */
size_t body_receive_skip(struct exchange *exchange, size_t len);

/* Whether libmicrohttpd is to take its next turn at once, without asking what
 * is ready, for bytes are here that it has not been told of. */
bool body_receive_has_unreported(struct loop *loop);
