/* What an engine calls on behalf of its connections. Thread of the engine only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "server/mhd/body_receive.h"

struct engine_connection;

/* What a handler says about the connection. */
enum engine_verdict {
    ENGINE_CONTINUE,
    /* The connection is closed, because */
    ENGINE_ANSWERED_EARLY, /* an answer was written by engine_send_early() */
    ENGINE_BODY_UNWANTED,  /* enough of a refused body was thrown away */
    ENGINE_NO_MEMORY,      /* the answer could not be queued */
};

/* `connection` is the owner's, as given to engine_adopt(). For a request the
 * order is: request_line, headers, any number of body, end (again after
 * engine_resume()), completed. It may break off after any of them, and then
 * goes on with completed, or closed. */
struct engine_handlers {
    void (*opened)(void *connection, struct engine_connection *engine);
    /* The handshake of its transport is done. */
    void (*established)(void *connection);
    /* It failed. Input of the client is discarded until it has closed. */
    void (*refused)(void *connection);
    void (*request_line)(void *connection, const char *uri);
    enum engine_verdict (*headers)(void *connection, const char *url,
                                   const char *method);
    /* `len` > 0. Bytes that engine_receive_body() put into the body are not
     * among them. */
    enum engine_verdict (*body)(void *connection, const char *data, size_t len);
    enum engine_verdict (*end)(void *connection);
    /* `whole`: the answer was sent. */
    void (*completed)(void *connection, bool whole);
    /* The last call; not called when engine_adopt() fails. */
    void (*closed)(void *connection);
    struct body_target target; /* of engine_receive_body() */
    /* A line of libmicrohttpd's log, for debugging. */
    void (*message)(void *context, const char *text);
};
