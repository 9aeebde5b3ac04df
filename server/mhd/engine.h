/* libmicrohttpd as a loop uses it: no thread, no listening socket, one epoll
 * descriptor to watch. The rest of the server knows this room's functions, not
 * libmicrohttpd.
 *
 * An engine and its connections belong to one thread, that of engine_attach().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/mhd/engine_handlers.h"

struct engine;

struct engine_setup {
    const struct engine_handlers *handlers; /* borrowed */
    void *context;                          /* of message() */
    unsigned connection_limit;
    bool short_cuts; /* libmicrohttpd's calls arrive at the I/O adapter */
};

/* NULL when it cannot be started. engine_stop() frees. Any thread. */
struct engine *engine_start(const struct engine_setup *setup);

/* Makes the calling thread that of the engine. */
void engine_attach(struct engine *engine);

/* Readable when engine_run() has something to do. */
int engine_fd(const struct engine *engine);

/* Runs libmicrohttpd: up to 16 turns, as long as they make progress. */
void engine_run(struct engine *engine);

/* To be called before the loop sleeps: runs the engine if a connection was
 * adopted or resumed. Returns the milliseconds until the next engine_run(), or
 * -1: none before engine_fd() is readable. */
int64_t engine_next_run_ms(struct engine *engine);

/* No connection may be suspended: libmicrohttpd aborts the process then. */
void engine_stop(struct engine *engine);
