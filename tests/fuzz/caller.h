/* The client that only wants answers, over gRPC: infers what it knows the
 * answer of, each on a connection of its own, and compares. One thread. */
#pragma once

#include <stdbool.h>

#include "tests/fuzz/client.h"

struct caller {
    struct world *world;   /* borrowed */
    struct client *client; /* borrowed; closed at first */
    unsigned known;        /* the call that waits for its check */
    bool may_lose;         /* replies may be cut off */
};

/* Calls, unless the last call is not answered yet. */
void caller_call(struct caller *caller, unsigned known);

/* Closes the connection and checks its reply. */
void caller_check(struct caller *caller);

/* Calls a server without other clients, and expects the answer. */
void caller_expect_service(struct world *world);
