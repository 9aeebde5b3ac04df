/* An api_reply on its way out: its headers, and all of it through
 * the engine. Loop thread only. */
#pragma once

#include <stdbool.h>

#include "api/api.h"
#include "server/mhd/engine_connection.h"

struct reply_headers {
    const char *request_id; /* echoed; NULL: none */
    bool close;             /* the connection ends with this answer */
    const char *encoding;   /* Content-Encoding; NULL: none */
    bool varies;            /* Accept-Encoding has a say in it */
    const char *origin;     /* that may read the answer; NULL: none */
    const char *asked;      /* headers that it asked to send, or NULL */
};

/* Takes one header; false when there is no room for it. */
typedef bool reply_add(void *to, const char *name, const char *value);

/* Adds what stands in the reply's head but for its length and the date, until
 * `add` fails; whether it never did. */
bool reply_add_headers(const struct api_reply *reply,
                       const struct reply_headers *headers, reply_add *add,
                       void *to);

/* Hands the reply to the engine, which reads its pieces until the request is
 * completed: the caller keeps them until then. False without memory: the
 * connection is to be closed. */
bool reply_send(const struct api_reply *reply,
                const struct reply_headers *headers,
                struct engine_connection *connection);
