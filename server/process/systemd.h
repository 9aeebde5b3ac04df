/* What a service manager hands over and is told, without its library: systemd
 * documents both protocols as stable. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "kernels/core/status.h"

/* Listening sockets that it has opened: sd_listen_fds(3). They stay open in the
 * manager while the daemon is restarted, so clients that connect meanwhile wait
 * and are served by the next one. Any thread. */
enum {
    SYSTEMD_FIRST = 3, /* descriptor, by the protocol */
    SYSTEMD_MOST = 2,  /* sockets that are taken */
};

struct systemd_sockets {
    int http, admin; /* descriptors, the caller's from now on; -1: none */
};

/* Values of the variables, each NULL where it is not set. */
struct systemd_variables {
    const char *pid;   /* LISTEN_PID: whom they are meant for */
    const char *fds;   /* LISTEN_FDS: how many */
    const char *names; /* LISTEN_FDNAMES: separated by colons */
};

/* Finds the descriptors, from `first` on, by their names: `http` or `admin`; a
 * single one needs no name. Fails with INVALID when there are more than are
 * taken, or one has another name. What they are is not looked at. */
bool systemd_read_sockets(struct systemd_sockets *sockets,
                          const struct systemd_variables *variables, int first,
                          struct status *st);

/* Messages to it: sd_notify(3). Each is one datagram of lines NAME=VALUE to the
 * socket that NOTIFY_SOCKET names. One thread. */
struct systemd {
    int fd; /* owned; -1: no service manager listens */
    struct sockaddr_un address;
    socklen_t len;
};

/* `path` is the value of NOTIFY_SOCKET: a path, or @ and an abstract name; NULL
 * or empty: nobody listens. Fails with INVALID for anything else, and where
 * there is no socket to be had. */
bool systemd_open(struct systemd *manager, const char *path, struct status *st);

/* True if there is somebody to tell. */
bool systemd_is_on(const struct systemd *manager);

/* Sends one message. Waits a second at most where the manager does not read.
 * Fails with INVALID, which gives the system's reason; without a manager it
 * succeeds. */
bool systemd_send(const struct systemd *manager, const char *text,
                  struct status *st);

void systemd_close(struct systemd *manager);

/* Microseconds between two signs of life that the manager wants at most, by the
 * values of WATCHDOG_USEC and WATCHDOG_PID; 0: it wants none, or of another
 * process. Fails with INVALID for a value that is no number. */
bool systemd_watchdog_us(const char *usec, const char *pid, uint64_t *us,
                         struct status *st);
