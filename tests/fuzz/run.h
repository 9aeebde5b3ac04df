/* One input of a target that has a whole server: its clients, beside the one
 * that only asks. One thread. */
#pragma once

#include <stdint.h>

#include "tests/fuzz/asker.h"
#include "tests/fuzz/client.h"
#include "tests/fuzz/world.h"

enum { RUN_MAX_CLIENTS = 4 };

struct run {
    struct world *world;
    struct client clients[RUN_MAX_CLIENTS];
    int count;
    int steered; /* the first so many of them: steps are about these */
    struct asker asker;
    uint64_t waited_ms;
    int asks; /* of `asker` */
    bool reloaded;
    /* Checks what a client has received, and returns how many requests were
     * answered by it. */
    uint64_t (*count_replies)(const struct client *client);
};

/* One turn of the loop; then clients that read receive. */
void run_turn(struct run *run);

/* Turns until nothing happens any more: with no end to it the server spins. */
void run_settle(struct run *run);

/* Reads the models file again; once only, for it takes as long as all the rest
 * of an input. */
void run_reload(struct run *run);

/* From now on replies may be cut off. */
void run_lose(struct run *run);

/* Sends what is left, and executes all jobs. */
void run_finish(struct run *run);

/* Closes all connections, checks the replies, and that nothing is left of them.
 * `requests_before`: world_request_count() at the start. */
void run_check(struct run *run, uint64_t requests_before);
