/* What a service manager learns of the daemon's life: ready, reloading,
 * stopping, alive. Without a manager nothing happens. Main thread only.
 *
 * A loop shows life at each of its ticks, a worker when it is woken, at each
 * request, and within one where it tests its cancel flag; the main thread's
 * timer tells the manager. So long work is life, and a thread that hangs is
 * not: then the manager gets no sign, and ends the process.
 *
 * A message that cannot be sent is logged as a warning, and the daemon serves
 * on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "server/net/acceptor.h"
#include "server/process/systemd.h"

struct supervision {
    struct systemd notify;
    struct log *log;                     /* borrowed */
    char serving[LISTEN_TEXT_SIZE + 32]; /* the status while nothing happens */

    /* The watchdog: signs of life while all threads that serve are alive. */
    uint64_t watchdog_us; /* that the manager waits for one; 0: it does not */
    uint64_t period_ms;   /* between two */
    struct acceptor *port, *admin; /* borrowed */
    uv_timer_t timer;
};

/* Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. Fails with INVALID for a
 * value that cannot be. */
bool supervision_init(struct supervision *supervision, struct log *log,
                      struct status *st);

/* The daemon serves now: says so, and starts the watchdog. Borrows both ports.
 */
void supervision_ready(struct supervision *supervision, struct acceptor *port,
                       struct acceptor *admin, uv_loop_t *uv);

/* Files are being read again; supervision_reloaded() is due. */
void supervision_reloading(struct supervision *supervision);

/* They were read; not `ok`: what was read before is still used. */
void supervision_reloaded(struct supervision *supervision, bool ok);

/* The daemon stops, and has ended in `limit_ms` at the latest. */
void supervision_stopping(struct supervision *supervision, uint64_t limit_ms);

void supervision_free(struct supervision *supervision);
