/* Accepted sockets that wait for room at a port. In the kernel's queue a client
 * of one address would wait behind all those of another.
 *
 * One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "server/http/service.h"

enum { LOBBY_HASHES = 256 };

struct lobby {
    struct arrival *waiting; /* owned; oldest first */
    size_t count, capacity;
    size_t hashed[LOBBY_HASHES]; /* of them, by peer_hash() */
};

/* True for an address whose sockets may be taken out. */
typedef bool lobby_choose(void *context, const struct peer *peer);

/* What an address has already. */
typedef size_t lobby_weigh(void *context, const struct peer *peer);

/* Allocates space for `capacity` sockets. False without memory. */
bool lobby_init(struct lobby *lobby, size_t capacity);

/* Closes the sockets that wait. */
void lobby_free(struct lobby *lobby);

/* Adds a socket, which the lobby then owns; false when it is full. */
bool lobby_add(struct lobby *lobby, const struct arrival *arrival);

/* How many sockets of the address wait, or of one with the same hash. */
size_t lobby_count_of(const struct lobby *lobby, const struct peer *peer);

/* Takes out the oldest socket of the address that has least of all; false when
 * the lobby is empty. */
bool lobby_take_least(struct lobby *lobby, lobby_weigh *weigh, void *context,
                      struct arrival *arrival);

/* Takes out the newest that `choose` chooses; false when it chooses none. */
bool lobby_take_newest(struct lobby *lobby, lobby_choose *choose, void *context,
                       struct arrival *arrival);
