/* Sockets from a service manager, and notices to it, without its library:
 * systemd documents these protocols as stable. Main thread only.
 *
 * Listening sockets that the manager has opened stay open in it while the
 * daemon is restarted, so clients that connect meanwhile wait and are served by
 * the next one: sd_listen_fds(3).
 *
 * Messages, sd_notify(3), tell that the daemon is ready, reads files again,
 * stops, or is alive; without a manager nothing happens. A loop shows life at
 * each of its ticks, a worker when it is woken, at each request, and within one
 * where it tests its cancel flag; the main thread's timer tells the manager. So
 * long work is life, and a thread that hangs is not: then the manager gets no
 * sign, and ends the process. A message that cannot be sent is logged as a
 * warning, and the daemon serves on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <uv.h>

#include "server/net/acceptor.h"

/* Reads LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES: each socket is named `http`
 * or `admin`; a single one needs no name. The descriptors are the caller's from
 * now on, by enum listen_port; -1: none. Fails with INVALID when there are more
 * than are taken, or one has another name. What they are is not looked at. */
bool systemd_read_sockets(int sockets[LISTEN_PORTS], struct status *st);

struct systemd {
    int fd; /* open to the end; -1: no service manager listens */
    struct sockaddr_un address;
    socklen_t len;
    struct log *log;                     /* borrowed */
    char serving[LISTEN_TEXT_SIZE + 32]; /* the status while nothing happens */

    /* The watchdog: signs of life while all threads that serve are alive. */
    uint64_t watchdog_us; /* that the manager waits for one; 0: it does not */
    uint64_t period_ms;   /* between two */
    struct acceptor *port, *admin; /* borrowed */
    uv_timer_t timer;
};

/* Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. Fails with INVALID for a
 * value that cannot be, and where there is no socket to be had. */
bool systemd_init(struct systemd *manager, struct log *log, struct status *st);

/* The daemon serves: says so, and starts the watchdog. Borrows both ports. */
void systemd_ready(struct systemd *manager, struct acceptor *port,
                   struct acceptor *admin, uv_loop_t *uv);

/* Files are being read again; systemd_reloaded() is due. */
void systemd_reloading(struct systemd *manager);

/* They were read; not `ok`: what was read before is still used. */
void systemd_reloaded(struct systemd *manager, bool ok);

/* The daemon stops, and has ended in `limit_ms` at the latest. */
void systemd_stopping(struct systemd *manager, uint64_t limit_ms);
