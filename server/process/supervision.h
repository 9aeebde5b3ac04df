/* What a service manager learns of the daemon's life: ready, reloading,
 * stopping, alive (server/systemd). Without a manager nothing happens. Main
 * thread only.
 *
 * A message that cannot be sent is logged as a warning, and the daemon serves
 * on. */
#pragma once

#include "server/process/watchdog.h"
#include "server/systemd/notify.h"

struct supervision {
    struct notify notify;
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
