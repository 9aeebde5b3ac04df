/* One request of any protocol: the common part of HTTP's exchanges and gRPC's
 * calls, which embed it and transfer the bytes. Loop thread only, but for the
 * job, which is a worker's from worker_start() to resume(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/conn/service.h"
#include "server/exchange/body.h"
#include "server/limits/budget.h"
#include "server/work/workers.h"

enum { EXCHANGE_SMALL = 64 << 10 }; /* bytes of a small body */

struct exchange {
    struct loop_context *loop; /* borrowed */
    uint64_t number;           /* of the request on its loop; 0: none is open */
    struct lease lease;        /* of the request's memory; with its peer */
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

/* True if a request with this method and these headers may use the route at the
 * loop's port. False: the job has the refusal. */
bool exchange_is_allowed(struct exchange *exchange, enum api_route_id route,
                         const char *method, route_auth_find *find,
                         void *context);

/* Admits an inference before its body of `len` bytes; the job's request has the
 * formats. Refuses a large body whose request would wait too long for a worker;
 * a small one has probably been sent already. False: the job has the
 * refusal. */
bool exchange_may_wait(struct exchange *exchange, uint64_t len);

/* Gives the job the whole body, and sets the fields that are alike in all
 * protocols. */
void exchange_prepare(struct exchange *exchange, const struct body *body);

/* The status of an ended request, for counters and log: the reply's if it was
 * sent or is a 500, else METRICS_CLIENT_GONE. */
int exchange_status(const struct exchange *exchange, bool is_sent);

/* Counts an ended request: `end` has the route, exchange_status() (0: the head
 * was not whole) and the bytes; the other fields are set here. True if the log
 * gets its line: always with --access-log, else for a 500 and, at level debug,
 * for a refusal. */
bool exchange_count(struct exchange *exchange, struct metrics_request *end);

/* The head of a request as sent, for its line of the log. Only a safe id and a
 * valid traceparent are written. */
struct exchange_head {
    const char *method, *path;
    const char *id, *traceparent, *user_agent; /* or NULL */
};

/* Writes the line, with the job's stages, model and refusal. */
void exchange_log(const struct exchange *exchange,
                  const struct metrics_request *end,
                  const struct exchange_head *head);
