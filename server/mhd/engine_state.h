/* The state of an engine and of its connections, for this room's files. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/mhd/engine_handlers.h"
#include "server/mhd/io_adapter.h"

struct MHD_Connection;
struct MHD_Daemon;

/* Counts turns without progress after which libmicrohttpd asked for another at
 * once. */
struct spin_guard {
    uint64_t progress; /* io_shared.progress at the last turn */
    unsigned turns;    /* since it grew */
};

struct engine {
    struct MHD_Daemon *mhd; /* owned */
    const struct engine_handlers *handlers;
    void *context; /* of handlers->message() */
    bool short_cuts;
    struct io_adapter adapter;
    struct io_shared shared;
    struct spin_guard guard;
    struct engine_connection *adopting; /* being given to libmicrohttpd */
    bool must_run; /* a connection was adopted or resumed */
};

struct engine_connection {
    struct engine *engine;      /* borrowed, as the next two */
    struct MHD_Connection *mhd; /* NULL until opened() */
    void *owner;
    bool has_headers; /* the request's were handed on */
    struct io_stack stack;
};

/* Frees it; the socket is libmicrohttpd's. */
void engine_connection_free(struct engine_connection *connection);
