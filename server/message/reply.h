/* Sends a reply: makes its headers, and hands all of it to the engine or,
 * early, to the socket. Loop thread only. */
#pragma once

#include <stdbool.h>

#include "api/api.h"
#include "server/message/headers.h"
#include "server/mhd/engine.h"

struct reply_headers {
    const char *request_id; /* echoed; NULL: none */
    bool close;             /* the connection ends with this reply */
    const char *encoding;   /* Content-Encoding; NULL: none */
    const char *varies;     /* Vary: what the reply depends on; NULL: none */
    const char *origin;     /* that may read the reply; NULL: none */
    const char *requested;  /* headers that a preflight names, or NULL */
    const char *timing;     /* Server-Timing; NULL: none */
};

/* Adds one header; false when it does not fit. `context` is that of
 * reply_add_headers(). */
typedef bool reply_add(void *context, const char *name, const char *value);

/* Adds all headers but the length and the date. False, and the rest is left
 * out, as soon as `add` fails. */
bool reply_add_headers(const struct api_reply *reply,
                       const struct reply_headers *headers, reply_add *add,
                       void *context);

/* Hands the reply to the engine, which reads its pieces until the request is
 * completed: the caller keeps them until then. False without memory: the
 * connection is to be closed. */
bool reply_send(const struct api_reply *reply,
                const struct reply_headers *headers,
                struct engine_connection *connection);

/* Sends a reply, an error, while headers or a body still arrive: libmicrohttpd
 * would wait for the end of the request. Writes it straight to the socket and
 * ends our half of the connection. Nothing of another reply has been sent for
 * the request. `head_only`: the method is HEAD. */
void reply_send_early(const struct api_reply *reply,
                      const struct reply_headers *headers, bool head_only,
                      struct engine_connection *connection);
