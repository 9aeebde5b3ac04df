/* The client that only wants answers: asks requests of known.h on a connection
 * of its own, and compares. One thread. */
#pragma once

#include <stdint.h>

#include "tests/fuzz/client.h"

enum { ASKER_MAX = 32 };

struct asker {
    struct world *world;
    struct client client;
    int asked[ASKER_MAX]; /* the requests without a checked reply, in order */
    int count;
    uint64_t reply_count;
    bool may_lose; /* asker_may_lose() was called */
};

void asker_open(struct asker *asker, struct world *world);

/* Asks for a known request, on a new connection if the old one has ended; not
 * while the last request is only sent in part. The server has nothing to do at
 * present. */
void asker_ask(struct asker *asker, int known);

/* From now on replies may be cut off. */
void asker_may_lose(struct asker *asker);

/* Closes the connection and checks its replies. Returns how many replies there
 * were since asker_open(). */
uint64_t asker_check(struct asker *asker);

/* Asks one request of a server without other clients, and expects the answer.
 */
void asker_expect_service(struct asker *asker);
