/* Accepted sockets on their way from the acceptor's thread to a loop's: first
 * in, first out. Any thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "server/limits/peer.h"

struct arrival {
    int fd;        /* owned by whoever has the arrival */
    bool is_guest; /* came to the port of the loops' guest (guest.h) */
    struct peer peer;
};

struct arrivals {
    pthread_mutex_t lock; /* guards the members below */
    struct arrival *ring; /* owned */
    size_t capacity;      /* entries of the ring */
    size_t first, count;
};

/* Allocates space for `capacity` sockets, 1 or more. False without memory. */
bool arrivals_init(struct arrivals *arrivals, size_t capacity);

/* None may be left. */
void arrivals_free(struct arrivals *arrivals);

/* The caller keeps the count below the capacity. */
void arrivals_push(struct arrivals *arrivals, const struct arrival *arrival);

/* Gives the one that was pushed first; false when there is none. */
bool arrivals_pop(struct arrivals *arrivals, struct arrival *arrival);
