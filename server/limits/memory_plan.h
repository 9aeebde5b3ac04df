/* Shares out the memory, so that the system never kills the daemon for it:
 *
 *   base + connections + waiting + inflight + json <= 90 % of the memory
 *
 * Each term is an upper bound of what the process and the kernel on its behalf
 * can hold. Terms that are not set are derived from the memory; settings that
 * cannot fit are refused. Pure: no system calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"
#include "server/limits/connection_cost.h"

enum {
    /* Code and data of the process and its libraries: 5.4 MiB resident with one
     * loop and one worker, and the log's buffer; OpenSSL adds 3 MiB. */
    MEMORY_PLAN_PROCESS = 8 << 20,
    MEMORY_PLAN_TLS = 4 << 20,

    /* A loop: counters (0.17 MiB), libmicrohttpd's daemon, a stack, an arena of
     * the heap. 0.2 MiB at rest. */
    MEMORY_PLAN_LOOP = 1 << 20,
    /* gRPC of a loop: the buffer that it receives into (server/grpc/session.h).
     */
    MEMORY_PLAN_GRPC_LOOP = 160 << 10,
    /* A worker: a stack and an arena of the heap. */
    MEMORY_PLAN_WORKER = 512 << 10,

    /* JSON of one thread without a lease: a document's memory before its lease
     * (64 KiB), or the search for the timeout of one of 256 KiB (0.8 MiB), or a
     * body of a route beside inference (64 KiB with 2,000 values: 0.4 MiB), and
     * the tree of a reply that becomes gRPC's. */
    MEMORY_PLAN_JSON = 1280 << 10,

    /* Part of the memory that the terms may add up to; the rest is for the
     * heap's fragments and page tables. */
    MEMORY_PLAN_PERCENT = 90,

    /* Derived terms: connections get at most half of the rest beside base and
     * json, requests at most half of the memory. */
    MEMORY_PLAN_CONNECTIONS = 4000,
    MEMORY_PLAN_LEAST_CONNECTIONS = 8,
    MEMORY_PLAN_LEAST_INFLIGHT = 1 << 20,

    /* Sockets that may wait for room: at most so many, with at most this part
     * of what is left beside base and json, and half of the descriptors. */
    MEMORY_PLAN_WAITING = 1024,
    MEMORY_PLAN_WAITING_PART = 16,
};

struct memory_plan_setup {
    int64_t memory;         /* bytes: of the cgroup or the machine */
    int64_t files;          /* descriptors of connections and waiting sockets */
    int64_t loops, workers; /* threads */
    int64_t own_connections; /* of the admin port */
    int64_t connections;     /* --max-connections; 0: derived */
    int64_t inflight;        /* --max-inflight-bytes; 0: derived */
    bool tls;
    int64_t grpc_streams; /* --grpc-max-streams; 0: no --grpc-port */
};

/* Bytes, but for the counts. */
struct memory_plan {
    int64_t connection_count, waiting_count, own_connections;
    int64_t files; /* descriptors that are left for connections */
    int64_t per_connection;
    int64_t base, connections, waiting, inflight, json;
    int64_t total; /* the sum of those five */
    int64_t limit; /* what the sum may be */
};

/* Fails with INVALID and the arithmetic when the settings cannot fit. */
bool memory_plan_make(struct memory_plan *plan,
                      const struct memory_plan_setup *setup, struct status *st);
