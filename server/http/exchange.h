/* One request and its reply, on one connection. Loop thread only, but for the
 * job, which is a worker's while the connection is suspended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/exchange/body.h"
#include "server/http/connection_state.h"
#include "server/limits/lease.h"
#include "server/message/headers.h"
#include "server/message/reply.h"
#include "server/mhd/engine.h"
#include "server/work/workers.h"

struct exchange {
    struct connection_state *connection; /* borrowed */
    struct request_line line;
    struct headers headers;
    struct lease lease; /* of all that the request holds */
    struct body body;
    struct worker_task task; /* with the job, and the reply in it */
    bool open;        /* the request line has arrived; close is still due */
    bool has_headers; /* the headers have arrived */
    bool sent;        /* the reply was handed to the engine */
    int early_status; /* of an early error that was sent; 0: none */
    uint64_t number;  /* of the request on its loop */
    size_t accounted; /* bytes of it in connection->loop->bytes */
    size_t discarded; /* bytes of a body that was refused */
};

void exchange_init(struct exchange *exchange, struct connection_state *state);

/* Begins a request: gives it its number. */
void exchange_open(struct exchange *exchange);

/* The engine's handlers, in the order that engine.h says; each gets a struct
 * exchange. exchange_close() is called in any case. */
void exchange_on_unparsed(void *exchange, int status, const char *text,
                          bool head_only);
void exchange_on_request_line(void *exchange, const char *uri);
enum engine_verdict exchange_on_headers(void *exchange, const char *url,
                                        const char *method);
enum engine_verdict exchange_on_body(void *exchange, const char *data,
                                     size_t len);
enum engine_verdict exchange_on_end(void *exchange);

/* For a body that the engine receives straight into its buffer. */
unsigned char *exchange_reserve_body(void *exchange, size_t *size);
void exchange_on_body_received(void *exchange, size_t size);

/* Counts and logs the request, frees all that it held and initialises the
 * exchange for the next one. `whole`: the reply was sent. */
void exchange_close(struct exchange *exchange, bool whole);

/* exchange_close() for a request that the engine has not completed, and whose
 * texts it has freed: a connection that epoll could not take back. */
void exchange_lose(struct exchange *exchange);

/* Sends the job's reply, an error, at once; the connection is to be closed. */
void exchange_send_early(struct exchange *exchange);

/* Notes why a request is cut whose reply is being sent; it is counted and
 * logged with the request. */
void exchange_reject(struct exchange *exchange, enum metrics_rejection reason);

/* The steps of exchange_reply.c. The first two send the job's reply, whole
 * through the engine or as an early error past it; the third counts and logs
 * the request. */
enum engine_verdict exchange_reply_send(struct exchange *exchange);
void exchange_reply_send_early(struct exchange *exchange);
void exchange_reply_report(struct exchange *exchange, bool whole);
