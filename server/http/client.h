/* The client of a connection, as its exchanges see it: its loop, its socket,
 * and the stage of its request.
 *
 * libmicrohttpd's own timeout starts anew with every byte, so a client could
 * hold a connection for ever with one byte at a time. A stage has a deadline
 * instead, which arriving bytes do not move. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/http/loop_context.h"
#include "server/limits/peer.h"
#include "server/mhd/engine_connection.h"

enum client_stage {
    CLIENT_IDLE,    /* between requests */
    CLIENT_HEADERS, /* a part of a request has arrived */
    CLIENT_BODY,
    CLIENT_WORK,   /* suspended: the request waits for a worker or has one */
    CLIENT_SEND,   /* the reply is being sent */
    CLIENT_LINGER, /* refused; input is discarded */
};

/* After a refusal, input is discarded up to these limits before the socket is
 * closed: closing a socket with unread bytes resets the connection, and the
 * reset can overtake the refusal. */
enum { CLIENT_LINGER_BYTES = 16 << 20, CLIENT_LINGER_MS = 3000 };

struct client {
    struct loop_context *loop;        /* borrowed */
    struct engine_connection *engine; /* borrowed; NULL until it is open */
    struct peer peer;
    enum client_stage stage;
    uint64_t since_ms;    /* when the stage was entered, by the loop's clock */
    uint64_t deadline_ms; /* when it ends; UINT64_MAX: it was ended */
    bool half_closed;     /* found at an earlier tick of the stage */
};

static inline void client_enter(struct client *client, enum client_stage stage,
                                uint64_t limit_ms)
{
    client->stage = stage;
    client->half_closed = false;
    client->since_ms = loop_context_now_ms(client->loop);
    client->deadline_ms = client->since_ms + limit_ms;
}

static inline void client_enter_idle(struct client *client)
{
    const struct options *options = loop_context_options(client->loop);

    client_enter(client, CLIENT_IDLE, (uint64_t)options->idle_timeout * 1000);
}

static inline void client_enter_headers(struct client *client)
{
    const struct options *options = loop_context_options(client->loop);

    client_enter(client, CLIENT_HEADERS,
                 (uint64_t)options->header_timeout * 1000);
}
