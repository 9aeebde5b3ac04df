/* What a port does when its connections come near their limit: it closes those
 * that wait for a request, so that new clients find room.
 *
 * Each tick (100 ms) near the limit raises the level, each other tick lowers
 * it. With each level a connection may wait half as long, and more room is
 * made. Pure; one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CROWD_PARTS = 16,     /* near: 15 of 16 parts of the limit are open */
    CROWD_MAX_LEVEL = 16, /* 75 s, halved so often, is 1 ms */
    CROWD_MAX_FREE = 8,   /* parts of the limit that are made free, at most */
};

/* Zeroed: no crowd. */
struct crowd {
    unsigned level; /* 0: no crowd */
};

/* True if few connections more may be opened. */
bool crowd_is_near(size_t open, size_t limit);

/* To be called every tick with the connections that are open. */
void crowd_update(struct crowd *crowd, size_t open, size_t limit);

/* Connections that should be closed now; 0 below level 1. */
size_t crowd_excess(const struct crowd *crowd, size_t open, size_t limit);

/* How long a connection may wait that otherwise may for `limit_ms`; at least
 * `least_ms`. `halvings`: for each level. */
uint64_t crowd_age_ms(const struct crowd *crowd, uint64_t limit_ms,
                      unsigned halvings, uint64_t least_ms);

/* The pressure of progress_check(): 0, or at most 3, 8 KiB/s. */
unsigned crowd_pressure(const struct crowd *crowd);
