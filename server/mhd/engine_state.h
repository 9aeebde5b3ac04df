/* The state of an engine and of its connections, for this room's files. */
#pragma once

#include "server/mhd/engine.h"
#include "server/mhd/io_adapter.h"
#include "server/mhd/linger.h"

struct MHD_Connection;
struct MHD_Daemon;

struct engine {
    struct engine_setup setup;
    struct MHD_Daemon *mhd; /* owned */
    struct io_adapter adapter;
    struct io_shared shared;
    struct linger_list lingering;
    uint64_t progress;   /* shared.progress when it grew last, */
    unsigned idle_turns; /* and turns since that asked for another at once */
    struct engine_connection *adopting; /* being given to libmicrohttpd */
    bool must_run; /* a connection was adopted or resumed */
};

struct engine_connection {
    struct engine *engine;      /* borrowed, as the next two */
    struct MHD_Connection *mhd; /* NULL until opened() */
    void *owner;
    bool has_headers; /* the request's were handed on */
    bool is_cut;      /* by engine_hang_up() */
    struct io_stack stack;
};

/* Frees it; the socket is libmicrohttpd's. */
void engine_connection_free(struct engine_connection *connection);
