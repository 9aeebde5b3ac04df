/* Counts for each client address: open connections, limited by
 * --max-connections-per-address and compared with a fair share when the port is
 * nearly full, or leased bytes, limited by --max-inflight-bytes-per-address. An
 * IPv6 client may take any address of its network, so the first 64 bits count
 * as its address.
 *
 * Any thread. With a limit of 0 nothing is counted; connections over a unix
 * socket are never counted. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/status.h"
#include "server/limits/peer.h"

struct address_limit_slot {
    struct peer peer;
    size_t count; /* 0: the slot is free */
};

struct address_limit {
    size_t limit; /* connections or bytes of an address; 0: none */
    size_t max_connections;
    pthread_mutex_t lock; /* guards the fields below */
    size_t addresses;     /* slots in use */
    size_t slot_count;    /* a power of two, at least 2 * max_connections */
    struct address_limit_slot *slots; /* owned */
};

/* `max_connections` of all addresses together. Fails with NO_MEMORY. */
bool address_limit_init(struct address_limit *limits, size_t limit,
                        size_t max_connections, struct status *st);
void address_limit_free(struct address_limit *limits);

/* Adds to the address's count; false, without adding, if that would exceed the
 * limit. At most max_connections addresses may have a count. */
bool address_limit_take(struct address_limit *limits, const struct peer *peer,
                        size_t amount);

/* Takes off an amount that address_limit_take() added. */
void address_limit_give(struct address_limit *limits, const struct peer *peer,
                        size_t amount);

/* True if the address has more connections than half of its share of
 * `max_connections`, which all addresses with connections have alike. Never
 * over a unix socket. */
bool address_limit_has_half(struct address_limit *limits,
                            const struct peer *peer);

/* True if one connection more is more than the address's share, as soon as it
 * counts. Never over a unix socket. */
bool address_limit_has_share(struct address_limit *limits,
                             const struct peer *peer);
