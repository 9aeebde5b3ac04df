/* The order in which the process ends, without a clock or a port: drain.c acts
 * as it says, and the simulation drives it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum drain_state {
    DRAIN_SERVING,
    DRAIN_DELAY,    /* not ready, but serves on */
    DRAIN_REFUSING, /* accepts only connections that have begun */
    DRAIN_STOPPING, /* requests end */
    DRAIN_ABORTING, /* whatever still runs is aborted */
    DRAIN_ADMIN,    /* only replies of the admin port are left */
    DRAIN_ADMIN_ABORTING,
    DRAIN_ENDED, /* nothing is left */
    DRAIN_STUCK, /* a request does not end: the process exits without it */
};

enum drain_event {
    DRAIN_ON_SIGNAL,
    DRAIN_ON_TIMER,
    DRAIN_ON_PORT_DONE,  /* the loops of the main port have ended */
    DRAIN_ON_ADMIN_DONE, /* that of the admin port, too */
};

struct drain_machine {
    enum drain_state state;
    int64_t delay_ms, exit_ms; /* --drain-delay, --exit-timeout-secs */
    bool has_admin;            /* there is an admin port */
};

/* True if the state has changed: then the timer is to be set to *timer_ms, or
 * stopped if that is negative. */
bool drain_machine_on(struct drain_machine *machine, enum drain_event event,
                      int64_t *timer_ms);

/* The longest time from the first signal to the end of the process. */
int64_t drain_machine_limit_ms(const struct drain_machine *machine);
