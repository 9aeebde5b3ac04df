/* From SIGTERM to the end: not ready, serve on for drain-delay, stop, cut.
 *
 * A second signal goes straight to the cut. Main thread only, but for
 * drain_loop_done(). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "server/net/acceptor.h"
#include "server/net/admin.h"

struct drain {
    struct acceptor *acceptor; /* borrowed */
    struct admin *admin;       /* borrowed */
    uv_signal_t terminate, interrupt;
    uv_timer_t timer;
    uv_async_t loop_done;
    atomic_int done_count; /* loops that have ended */
    bool cut;              /* something was still running */
};

/* From here on signals are noted; they are acted on when `uv` runs. */
void drain_init(struct drain *drain, uv_loop_t *uv, struct acceptor *acceptor,
                struct admin *admin);

/* For loop_start()'s on_done. When all loops have ended, `uv` stops. Any
 * thread. */
void drain_loop_done(void *drain);
