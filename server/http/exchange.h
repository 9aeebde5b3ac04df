/* One request and its answer, on one connection. Loop thread only, but for
 * `answer`, which a worker has while the connection is suspended.
 *
 * The engine calls in this order: the handlers for the request line, the
 * headers, each part of the body and its end (again after a worker), and for
 * the completed request. It may stop at any point, and then calls the last
 * only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/http/body.h"
#include "server/http/headers.h"
#include "server/http/reply.h"
#include "server/jobs/worker.h"
#include "server/mhd/engine.h"

struct connection;

struct exchange {
    const char *method; /* libmicrohttpd's, as all header texts */
    const char *path;   /* the same; without the query, still encoded */
    char *query;        /* owned; NULL when there is none */
    struct api_route route;
    struct headers headers;
    struct body body;
    struct api_early early; /* of the body */
    struct worker_task task;
    uint64_t number;  /* counts the loop's requests */
    size_t accounted; /* bytes of it in the loop's account */
    size_t ignored;   /* bytes of a body that nobody wants */
    int written;      /* status that went out past libmicrohttpd, or 0 */
    bool open;        /* exchange_close() is still to come */
    bool begun, sent;
    bool scans_on_arrival; /* the body, while it is received directly */
    bool lost_query;       /* there was no memory for it */
};

void exchange_init(struct connection *connection);

/* The engine's handlers for a request; `connection` is a struct connection. */
void exchange_on_request_line(void *connection, const char *uri);
enum engine_verdict exchange_on_headers(void *connection, const char *url,
                                        const char *method);
enum engine_verdict exchange_on_body(void *connection, const char *data,
                                     size_t len);
enum engine_verdict exchange_on_end(void *connection);
void exchange_on_completed(void *connection, bool whole);

/* The engine's target for a body that it receives directly. */
unsigned char *exchange_body_reserve(void *connection, size_t size);
void exchange_body_received(void *connection, size_t size);

/* False when the reply is already the answer. With the headers. */
bool exchange_admit(struct connection *connection);

/* `len` is the body's, or what is known of it. */
void exchange_refuse_body(struct exchange *exchange, enum body_verdict verdict,
                          uint64_t len);

/* What its answer's head says, with which the connection ends or not. */
struct reply_headers exchange_headers(const struct connection *connection,
                                      bool close);

/* Counts and logs the request, and frees what it held. `whole`: the answer was
 * sent. */
void exchange_close(struct connection *connection, bool whole);

/* Brings what the loop holds for this request up to date. */
void exchange_account(struct connection *connection);

enum { EXCHANGE_ID_SIZE = 160 };

/* The client's X-Request-Id, or one made up. */
void exchange_id(const struct connection *connection,
                 char text[EXCHANGE_ID_SIZE]);
