/* A whole server in this process, on the machine of machine.h: a service and
 * one loop with HTTP and gRPC, whose clients are socketpairs. One thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/conn/loop.h"
#include "server/conn/service.h"

enum world_kind {
    WORLD_OPEN,    /* everything is allowed and on */
    WORLD_GUARDED, /* all routes are restricted; workers execute all jobs */
    WORLD_NARROW,  /* low limits */
    WORLD_ADMIN,   /* the admin port: no inference, no gRPC */
    WORLD_KINDS,   /* how many */
};

enum world_port {
    WORLD_HTTP,
    WORLD_GRPC,
};

struct world {
    enum world_kind kind;
    struct options options;
    struct log log;
    struct service service;
    atomic_int admin_phase; /* of the admin port */
    struct listener_profile profile, grpc;
    struct loop loop;
    int free_fd; /* the lowest one, when no client is connected */
};

/* The options of a server of this kind. */
void world_load_options(enum world_kind kind, struct options *options);

/* The server of this kind; the first call makes it. */
struct world *world_get(enum world_kind kind);

/* A new client: returns its end of the connection. -1: it was refused at once,
 * for its address has too many. The kernel buffers few bytes of replies if
 * `narrow`. */
int world_connect(struct world *world, enum world_port port, bool narrow);

/* One turn of the loop, without a wait. */
void world_turn(struct world *world);

/* Executes a step of one job that waits for a worker; false when none waits.
 * The loop hears of it at its next turn. */
bool world_work(struct world *world);

/* Lets time pass, with turns in between. */
void world_wait(struct world *world, uint64_t ms);

/* SERVICE_RUNNING to SERVICE_ABORTING; only ever goes up. */
void world_set_phase(struct world *world, enum service_phase phase);

/* Requests that the loop has counted, whatever became of them. */
uint64_t world_request_count(const struct world *world);

/* Waits until all connections are closed, whose clients have gone. */
void world_drain(struct world *world);

/* After world_drain(): starts the loop again if its port has stopped, and
 * expects that nothing of the clients is left. */
void world_reset(struct world *world);
