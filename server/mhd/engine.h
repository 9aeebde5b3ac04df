/* libmicrohttpd as a loop uses it: no thread, no listening socket, one epoll
 * descriptor to watch. The rest of the server knows this room's functions, not
 * libmicrohttpd.
 *
 * An engine and its connections belong to one thread, that of engine_attach().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/mhd/body_receive.h"
#include "server/socket/socket_buffers.h"

struct engine;
struct engine_connection;

enum { ENGINE_OWNER_BYTES = 1664 }; /* of engine_reserve() */

/* What a handler says about the connection. */
enum engine_verdict {
    ENGINE_CONTINUE,
    /* The connection is closed, because */
    ENGINE_REPLIED_EARLY, /* a reply was written by engine_send_early() */
    ENGINE_BODY_UNWANTED, /* enough of a refused body was thrown away */
    ENGINE_NO_MEMORY,     /* the reply could not be queued */
};

/* What an engine calls on behalf of its connections. `connection` is the
 * owner's, as given to engine_adopt(). For a request the order is:
 * request_line, headers, any number of body, end (again after engine_resume()),
 * completed. It may break off after any of them, and then goes on with
 * completed, leaving or closed. */
struct engine_handlers {
    void (*opened)(void *connection, struct engine_connection *engine);
    /* The handshake of its transport is done. */
    void (*established)(void *connection);
    /* It failed. Input of the client is discarded until it has closed. */
    void (*refused)(void *connection);
    /* The client has sent bytes, after the handshake. Not called without the
     * I/O adapter. */
    void (*received)(void *connection);
    /* libmicrohttpd cannot read a request, of which a part may have been handed
     * on, or cannot send its reply: `status` and `text` say why. To be answered
     * by engine_send_early(); `head_only`: without a body. Not called without
     * the I/O adapter: libmicrohttpd then sends a page of its own. */
    void (*unparsed)(void *connection, int status, const char *text,
                     bool head_only);
    void (*request_line)(void *connection, const char *uri);
    enum engine_verdict (*headers)(void *connection, const char *url,
                                   const char *method);
    /* `len` > 0. Bytes that engine_receive_body() put into the body are not
     * among them. */
    enum engine_verdict (*body)(void *connection, const char *data, size_t len);
    enum engine_verdict (*end)(void *connection);
    /* `whole`: the reply was sent. */
    void (*completed)(void *connection, bool whole);
    /* It is closed, but the client has not taken all replies yet. From here on
     * only engine_moved(), engine_reset() and engine_hang_up() may be called,
     * and closed() follows when it has, or after engine_reset(). */
    void (*leaving)(void *connection);
    /* The last call; not called when engine_adopt() fails. */
    void (*closed)(void *connection);
    struct body_target target; /* of engine_receive_body() */
    /* A line of libmicrohttpd's log, for debugging. */
    void (*message)(void *context, const char *text);
};

struct engine_setup {
    const struct engine_handlers *handlers; /* borrowed */
    void *context;                          /* of message() */
    unsigned connection_limit;
    struct socket_buffers_setup buffers; /* of each connection's socket */
};

/* NULL when it cannot be started. engine_stop() frees. Any thread. */
struct engine *engine_start(const struct engine_setup *setup);

/* Makes the calling thread that of the engine. */
void engine_attach(struct engine *engine);

/* Readable when engine_run() has something to do. */
int engine_fd(const struct engine *engine);

/* Runs libmicrohttpd: up to 16 turns, as long as they make progress. */
void engine_run(struct engine *engine);

/* Nanoseconds that handshakes of its connections have taken. */
uint64_t engine_handshake_ns(const struct engine *engine);

/* To be called before the loop sleeps: runs the engine if a connection was
 * adopted or resumed. Returns the milliseconds until the next engine_run(), or
 * -1: none before engine_fd() is readable. */
int64_t engine_next_run_ms(struct engine *engine);

/* No connection may be suspended: libmicrohttpd aborts the process then. */
void engine_stop(struct engine *engine);
