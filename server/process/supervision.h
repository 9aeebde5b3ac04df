/* What a service manager learns of the daemon's life: ready, reloading,
 * stopping, alive. Without a manager nothing happens. Main
 * thread only.
 *
 * A message that cannot be sent is logged as a warning, and the daemon serves
 * on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "server/net/acceptor.h"
#include "server/process/systemd.h"

/* Signs of life for the service manager, while all threads that serve are
 * alive: the loops, the workers, and the main thread, whose timer this is.
 *
 * A loop shows life at each of its ticks, a worker when it is woken, at each
 * request, and within one where it tests its cancel flag. So long work is life,
 * and a thread that hangs is not: then the manager gets no sign, and ends the
 * process. Main thread only. */

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

struct supervision {
    struct systemd notify;
    struct watchdog watchdog;
    uint64_t watchdog_us; /* that the manager waits for a sign of life */
    struct log *log;      /* borrowed */
    char serving[LISTEN_TEXT_SIZE + 32]; /* the status while nothing happens */
};

/* Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. Fails with INVALID for a
 * value that cannot be. */
bool supervision_init(struct supervision *supervision, struct log *log,
                      struct status *st);

/* The daemon serves now: says so, and starts the watchdog. Borrows both. */
void supervision_ready(struct supervision *supervision, struct acceptor *port,
                       struct acceptor *admin, uv_loop_t *uv);

/* Files are being read again; supervision_reloaded() is due. */
void supervision_reloading(struct supervision *supervision);

/* They were read; not `ok`: what was read before is still used. */
void supervision_reloaded(struct supervision *supervision, bool ok);

/* The daemon stops, and has ended in `limit_ms` at the latest. */
void supervision_stopping(struct supervision *supervision, uint64_t limit_ms);

void supervision_free(struct supervision *supervision);
