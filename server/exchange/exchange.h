/* One request of any protocol: what HTTP's exchanges and the calls of gRPC have
 * in common. A protocol embeds it, and knows how the bytes come and go. Loop
 * thread only, but for the job, which is a worker's from suspend() to resume().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/conn/service.h"
#include "server/exchange/body.h"
#include "server/limits/lease.h"
#include "server/work/workers.h"

struct exchange {
    struct loop_context *loop; /* borrowed */
    uint64_t number;           /* of the request on its loop; 0: none is open */
    struct lease lease;        /* of what the request holds; with its peer */
    struct worker_task task;   /* with the job, and the reply in it */
};

/* For the requests of a connection, one after the other. `waiter` and `context`
 * are those of worker_init(). Borrows all. */
void exchange_init(struct exchange *exchange, struct loop_context *loop,
                   const struct peer *peer, const struct worker_waiter *waiter,
                   void *context);

/* Begins a request, unless it has begun: gives it its number. */
void exchange_open(struct exchange *exchange);

/* Frees the job and what it leased: the next message of the request can have
 * another. */
void exchange_next(struct exchange *exchange);

/* The same at the end of a request. */
void exchange_close(struct exchange *exchange);

/* Whether a body of `len` bytes is worth being received, for an inference whose
 * forms the job's request has: a large one is not when it would wait too long
 * for a worker; a small one is likely to have been sent already. False when the
 * job has the reply of a refusal. */
bool exchange_may_wait(struct exchange *exchange, uint64_t len);

/* Makes the job one of the whole body: sets what no protocol has a say in. */
void exchange_prepare(struct exchange *exchange, const struct body *body);

/* The status of a request that ended, whose reply was sent or not: our own
 * fault is one whether or not the client waited for the reply. */
int exchange_status(const struct exchange *exchange, bool is_sent);

/* Counts a request of which `end` has the route, exchange_status() (0: its head
 * was not whole) and the bytes, and sets the rest of it. True if its line is to
 * be written: of each with --access-log, else of our own faults, and where
 * debugging is wanted of each that was refused. */
bool exchange_count(struct exchange *exchange, struct metrics_request *end);

/* What the line has of the head of a request, as the client has sent it. Only a
 * safe id and a valid traceparent are written. */
struct exchange_head {
    const char *method, *path;
    const char *id, *traceparent, *user_agent; /* or NULL */
};

/* Writes the line, with the job's stages, its model and why it was refused. */
void exchange_log(const struct exchange *exchange,
                  const struct metrics_request *end,
                  const struct exchange_head *head);
