/* Who enters a port: hands accepted sockets to the least loaded of its loops,
 * or lets them wait for room.
 *
 * At the limit of connections sockets wait in a lobby until others have closed;
 * near it, those of addresses that have their fair share: in the kernel's queue
 * a client of one address would wait behind all those of another. Main thread
 * only, but for entry_is_waited_for(). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "server/conn/loop.h"
#include "server/conn/service.h"

enum { LOBBY_HASHES = 256 };

/* Accepted sockets that wait for room at a port. */
struct lobby {
    struct arrival *waiting; /* owned; oldest first */
    size_t count, capacity;
    size_t hashed[LOBBY_HASHES]; /* of them, by peer_hash(): two addresses
                                  * of one hash count as one */
};

struct entry {
    struct service *service;                /* borrowed, as the next two */
    const struct listener_profile *profile; /* of the port */
    struct metrics *metrics;                /* written by the main thread */
    struct loop *loops;                     /* owned array */
    int loop_count;                         /* 0: the port is not served */
    struct lobby lobby;
    atomic_bool is_waiting; /* somebody is in the lobby */
};

/* Borrows all three. False without memory. */
bool entry_init(struct entry *entry, struct service *service,
                const struct listener_profile *profile,
                struct metrics *metrics);

/* Lets an accepted socket enter, wait or, where too many of its address are
 * here already, be closed. */
void entry_add(struct entry *entry, const struct arrival *arrival);

/* True if nothing is gained by accepting now: nobody else may wait, and all
 * that are here have one address, so that nobody waits behind a crowd. */
bool entry_is_closed(struct entry *entry);

/* Lets sockets that wait enter as far as there is room. To be called after a
 * connection has closed. */
void entry_admit(struct entry *entry);

/* True if entry_admit() has something to do after a close. Any thread. */
bool entry_is_waited_for(struct entry *entry);

/* Closes the sockets that wait. */
void entry_abort(struct entry *entry);
