/* Listening sockets that a service manager has opened: sd_listen_fds(3).
 *
 * They stay open in the manager while the daemon is restarted, so clients that
 * connect meanwhile wait and are served by the next one. Any thread. */
#pragma once

#include <stdbool.h>

#include "kernels/core/status.h"

enum {
    ACTIVATION_FIRST = 3, /* descriptor, by the protocol */
    ACTIVATION_MOST = 2,  /* sockets that are taken */
};

struct activation {
    int http, admin; /* descriptors, the caller's from now on; -1: none */
};

/* Values of the variables, each NULL where it is not set. */
struct activation_variables {
    const char *pid;   /* LISTEN_PID: whom they are meant for */
    const char *fds;   /* LISTEN_FDS: how many */
    const char *names; /* LISTEN_FDNAMES: separated by colons */
};

/* Finds the descriptors, from `first` on, by their names: `http` or `admin`; a
 * single one needs no name. Fails with INVALID when there are more than are
 * taken, or one has another name. What they are is not looked at. */
bool activation_read(struct activation *activation,
                     const struct activation_variables *variables, int first,
                     struct status *st);
