/* Accepted sockets whose clients have sent nothing yet. Such a socket is not
 * given to the engine, which takes at least a page for it, before its first
 * byte: it costs 100 bytes here. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/http/arrivals.h"
#include "server/http/stage_queue.h"

enum { SILENT_SET_BATCH = 64 }; /* sockets that are looked at together */

struct silent_set {
    int epoll_fd;             /* owned; readable when a socket is ready */
    struct stage_queue queue; /* owns the sockets */
    uint32_t last_hash;       /* peer_hash() of silent_set_take_turn() */
};

struct silent {
    struct stage_entry entry;
    struct arrival arrival;
};

/* False without memory or a descriptor. */
bool silent_set_init(struct silent_set *set);

/* No socket may be left. */
void silent_set_free(struct silent_set *set);

/* Keeps the socket, if its client has sent nothing yet. False: it is still the
 * caller's, because the client has sent bytes or has gone, or without memory.
 */
bool silent_set_add(struct silent_set *set, const struct arrival *arrival,
                    uint64_t now_ms);

/* Keeps the socket, whether its client has sent bytes or not. False without
 * memory: it is still the caller's. */
bool silent_set_hold(struct silent_set *set, const struct arrival *arrival,
                     uint64_t now_ms);

/* Takes out sockets whose clients have sent bytes or have gone. Returns how
 * many. */
size_t silent_set_take_ready(struct silent_set *set,
                             struct arrival arrivals[SILENT_SET_BATCH]);

/* Takes out one of them; false: there is none. Of those looked at together one
 * with another address than the last comes first: so a client with few sockets
 * does not wait for all those of one that has many. */
bool silent_set_take_turn(struct silent_set *set, struct arrival *arrival);

/* False if the client has sent bytes or has gone meanwhile. */
bool silent_set_is_silent(const struct silent *silent);

/* Takes a socket out. */
struct arrival silent_set_take(struct silent_set *set, struct silent *silent);

/* The oldest if it was added `age_ms` ago or earlier; else NULL. */
struct silent *silent_set_oldest(const struct silent_set *set, uint64_t now_ms,
                                 uint64_t age_ms);

/* The one that was added after `silent`; NULL: none. */
struct silent *silent_set_next(const struct silent *silent);
