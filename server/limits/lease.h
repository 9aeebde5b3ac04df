/* The bytes that one connection's request holds: its query, its body, its plan,
 * its reply.
 *
 * The first CONNECTION_COST_ALLOWANCE bytes are the connection's own and always
 * there, so that small requests never meet a full budget; the rest is leased
 * from the budget: at most three quarters of it by one connection, and
 * --max-inflight-bytes-per-address by one client address. Bytes are taken
 * before they are allocated, as they arrive or are produced; a lease fails at
 * once instead of waiting, so that requests never wait for each other.
 *
 * One thread at a time: the request's. */
#pragma once

#include <stddef.h>

#include "server/limits/budget.h"
#include "server/limits/connection_cost.h"
#include "server/limits/peer.h"

struct lease {
    struct budget *budget;   /* borrowed */
    const struct peer *peer; /* borrowed; the client, or NULL: none */
    size_t allowance;        /* bytes that are not the budget's; set to 0 for a
                              * second lease of a connection */
    size_t held;             /* bytes, of the allowance and the budget */
};

enum lease_verdict {
    LEASE_OK,
    LEASE_BUSY,    /* does not fit beside the other leases */
    LEASE_NEVER,   /* exceeds lease_most() */
    LEASE_ADDRESS, /* does not fit beside those of the client's address */
};

void lease_init(struct lease *lease, struct budget *budget,
                const struct peer *peer);

/* Most bytes that a lease can hold. */
size_t lease_most(const struct lease *lease);

/* Takes `bytes` more; without LEASE_OK nothing changes. */
enum lease_verdict lease_take(struct lease *lease, size_t bytes);

/* Gives back `bytes`, at most those held. */
void lease_give(struct lease *lease, size_t bytes);
