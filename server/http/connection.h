/* One client's connection: where it stands and until when it may stand there.
 *
 * libmicrohttpd's own timeout starts anew with every byte, so a client could
 * hold a connection for ever with one byte at a time. These are deadlines: a
 * stage is over when its time is, whatever trickles in. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/http/exchange.h"
#include "server/limits/peer.h"
#include "server/mhd/engine_connection.h"

struct loop;

enum connection_stage {
    CONNECTION_IDLE,    /* between requests */
    CONNECTION_HEADERS, /* some of a request has come */
    CONNECTION_BODY,
    CONNECTION_WORK,   /* suspended: a worker has the request */
    CONNECTION_SEND,   /* the answer is on its way */
    CONNECTION_LINGER, /* refused; what still comes is thrown away */
};

/* After a refusal, input is discarded up to these limits before the socket is
 * closed: closing a socket with unread bytes resets the connection, and the
 * reset can overtake the refusal. */
enum {
    CONNECTION_LINGER_BYTES = 16 << 20,
    CONNECTION_LINGER_MS = 3000,
};

struct connection {
    struct connection *next, *prev;   /* the loop's list */
    struct loop *loop;                /* borrowed */
    struct engine_connection *engine; /* borrowed; NULL until it is open */
    struct peer peer;
    enum connection_stage stage;
    uint64_t since_ms;    /* when the stage was entered, by the loop's clock */
    uint64_t deadline_ms; /* when it is over */
    uint64_t idle_bytes;  /* received by TCP at the start of being idle */
    bool idle_bytes_known;
    bool half_closed; /* seen so, in this stage, at an earlier tick */
    struct exchange exchange;
};

/* Adopts a socket for `loop`: the engine gets it and closes it. False when
 * there is no memory; the socket is closed then too. */
bool connection_new(struct loop *loop, int fd, const struct peer *peer);

/* For the engine: `connection` is a struct connection. */
void connection_on_open(void *connection, struct engine_connection *engine);
void connection_on_established(void *connection);
void connection_on_refused(void *connection);
void connection_on_close(void *connection);

void connection_enter(struct connection *connection,
                      enum connection_stage stage, uint64_t limit_ms);

/* Whether a suspended connection's client has gone, or closed its half. */
bool connection_has_gone(struct connection *connection);

/* Cuts off connections that are past a deadline, and closes idle ones when the
 * service stops. To be called every tick. */
void connection_check_all(struct loop *loop);
