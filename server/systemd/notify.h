/* Messages to the service manager: sd_notify(3).
 *
 * Each is one datagram of lines NAME=VALUE to the socket that NOTIFY_SOCKET
 * names. One thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "kernels/core/status.h"

struct notify {
    int fd; /* owned; -1: no service manager listens */
    struct sockaddr_un address;
    socklen_t len;
};

/* `path` is the value of NOTIFY_SOCKET: a path, or @ and an abstract name; NULL
 * or empty: nobody listens. Fails with INVALID for anything else, and where
 * there is no socket to be had. */
bool notify_open(struct notify *notify, const char *path, struct status *st);

/* True if there is somebody to tell. */
bool notify_is_on(const struct notify *notify);

/* Sends one message. Waits a second at most where the manager does not read.
 * Fails with INVALID, which gives the system's reason; without a manager it
 * succeeds. */
bool notify_send(const struct notify *notify, const char *text,
                 struct status *st);

void notify_close(struct notify *notify);

/* Microseconds between two signs of life that the manager wants at most, by the
 * values of WATCHDOG_USEC and WATCHDOG_PID; 0: it wants none, or of another
 * process. Fails with INVALID for a value that is no number. */
bool notify_watchdog_us(const char *usec, const char *pid, uint64_t *us,
                        struct status *st);
