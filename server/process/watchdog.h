/* Signs of life for the service manager, while all threads that serve are
 * alive: the loops, the workers, and the main thread, whose timer this is.
 *
 * A loop shows life at each of its ticks, a worker when it is woken, at each
 * request, and within one where it tests its cancel flag. So long work is life,
 * and a thread that hangs is not: then the manager gets no sign, and ends the
 * process. Main thread only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "server/net/acceptor.h"

struct watchdog {
    struct acceptor *port, *admin; /* borrowed */
    void (*on_alive)(void *context);
    void *context;      /* borrowed */
    uint64_t period_ms; /* between two signs */
    uv_timer_t timer;
};

/* Asks all threads for a sign of life. They have been started. */
void watchdog_ask(struct watchdog *watchdog);

/* True if all have given one. */
bool watchdog_sees_life(const struct watchdog *watchdog);

/* From now on calls on_alive() twice in `limit_us`, unless a thread shows no
 * life. The caller has set the four fields above `period_ms`. */
void watchdog_start(struct watchdog *watchdog, uv_loop_t *uv,
                    uint64_t limit_us);

/* Also before watchdog_start(), if `watchdog` is zeroed. */
void watchdog_stop(struct watchdog *watchdog);
