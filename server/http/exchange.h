/* One request and its answer, on one connection. Loop thread only, but for
 * `answer`, which a worker has while the connection is suspended.
 *
 * libmicrohttpd calls in this order: exchange_open() with the request line,
 * exchange_call() with the headers, with each part of the body and at its
 * end (again after a worker), exchange_close(). It may stop at any point, and
 * then calls exchange_close() only. */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/http/body.h"
#include "server/http/headers.h"
#include "server/http/reply.h"
#include "server/jobs/worker.h"

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
    void *gathered;     /* owned: see reply_send() */
    uint64_t number;    /* counts the loop's requests */
    size_t accounted;   /* bytes of it in the loop's account */
    size_t ignored;     /* bytes of a body that nobody wants */
    size_t ahead;       /* bytes in the body that libmicrohttpd knows not of */
    size_t told;        /* bytes it knows of and has not handed on: intake.h */
    uint64_t dry_until; /* the socket is, until this one of loop.polls */
    int awaited;        /* bytes before the socket speaks up, or 0: intake.c */
    size_t gone;        /* bytes sent that it has not been told of: outlet.h */
    int written;        /* status that went out past libmicrohttpd, or 0 */
    bool open;          /* exchange_close() is still to come */
    bool begun, sent;
    bool direct;     /* its body comes by intake.h */
    bool eager;      /* and is looked at as it comes */
    bool sliced;     /* its answer goes by outlet.h */
    bool lost_query; /* there was no memory for it */
};

void exchange_init(struct connection *connection);

void exchange_open(struct connection *connection, const char *uri);

/* `data` is NULL with the headers and at the end. MHD_NO closes the
 * connection. */
enum MHD_Result exchange_call(struct connection *connection, const char *url,
                              const char *method, const char *data,
                              size_t *len);

/* False when the reply is already the answer. With the headers. */
bool exchange_admit(struct connection *connection);

/* `len` is the body's, or what is known of it. */
void exchange_refuse_body(struct exchange *exchange, enum body_verdict verdict,
                          uint64_t len);

/* What its answer's head says, with which the connection ends or not. */
struct reply_headers exchange_headers(const struct connection *connection,
                                      bool close);

/* Counts and logs the request, and frees what it held. */
void exchange_close(struct connection *connection,
                    enum MHD_RequestTerminationCode how);

/* Brings what the loop holds for this request up to date. */
void exchange_account(struct connection *connection);

enum { EXCHANGE_ID_SIZE = 160 };

/* The client's X-Request-Id, or one made up. */
void exchange_id(const struct connection *connection,
                 char text[EXCHANGE_ID_SIZE]);
