/* The timeouts of requests that wait for a worker: who is late is taken out of
 * the queue. What a worker has begun it looks at itself. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct connection;

/* A loop's. */
struct deadlines {
    uv_timer_t timer;         /* for the nearest; its data is the loop */
    struct connection *first; /* borrowed list */
};

/* A request's. */
struct deadline {
    struct connection *next, *prev;
    uint64_t at_us; /* by clock_now_us(); 0: not in the list */
    bool passed;    /* the request was taken out of the queue */
};

/* Watches a request that is about to be queued, if it has a timeout that shows:
 * api_timeout(). */
void deadline_start(struct connection *connection);

/* The request waits no more. */
void deadline_stop(struct connection *connection);
