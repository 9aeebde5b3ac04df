/* TLS on one connection, under libmicrohttpd: its system calls for such a
 * connection end here (calls.h), and it sees plain bytes.
 *
 * Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

struct connection;
struct ssl_st;

/* Part of a connection. All zero: a connection without TLS. */
struct tls_stream {
    struct ssl_st *session; /* owned; NULL: no TLS */
    bool established;       /* the handshake is done */
    bool failed;            /* there is nothing more to be said */
    bool ended;             /* nothing more will come */
    bool refused;           /* in the handshake: input is thrown away */
    size_t ignored;         /* bytes thrown away */
};

/* Before the connection is given to libmicrohttpd. False when there is no
 * memory. */
bool tls_stream_start(struct connection *connection);

/* As recv() and sendmsg() on a socket that does not block. A short count means
 * that the socket was dry, or full. */
ssize_t tls_stream_recv(struct connection *connection, void *data, size_t size);
ssize_t tls_stream_sendmsg(struct connection *connection,
                           const struct msghdr *message);

/* Whether the client has said its farewell. Reads ahead: only while
 * libmicrohttpd looks at the socket again by itself, as after a suspension. */
bool tls_stream_has_gone(struct connection *connection);

/* Whether something of the client's is here that nobody has read. */
bool tls_stream_has_unread(const struct connection *connection);

/* Says farewell to the client; before our half of the socket is closed. */
void tls_stream_end(struct connection *connection);

void tls_stream_free(struct connection *connection);
