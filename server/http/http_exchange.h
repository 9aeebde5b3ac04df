/* HTTP's part of a request and its reply, on one connection. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/conn/connection_list.h"
#include "server/exchange/exchange.h"
#include "server/message/headers.h"
#include "server/mhd/engine.h"

struct http_exchange {
    struct exchange exchange;
    struct connection_state *connection; /* borrowed */
    struct request_line line;
    struct headers headers;
    struct body body;
    bool has_headers; /* the headers have arrived */
    bool sent;        /* the reply was handed to the engine */
    bool early;       /* it was sent past it, as an early error */
};

void http_exchange_init(struct http_exchange *http,
                        struct connection_state *state);

/* True between the request line and http_exchange_close(). */
static inline bool http_exchange_is_open(const struct http_exchange *http)
{
    return http->exchange.number > 0;
}

/* The engine's handlers, in the order that engine.h says; each gets a struct
 * http_exchange. http_exchange_close() is called in any case. */
void http_exchange_on_unparsed(void *http, int status, const char *text,
                               bool head_only);
void http_exchange_on_request_line(void *http, const char *uri);
bool http_exchange_on_headers(void *http, const char *url, const char *method);
bool http_exchange_on_body(void *http, const char *data, size_t len);
bool http_exchange_on_end(void *http);

/* For a body that the engine receives straight into its buffer. */
unsigned char *http_exchange_reserve_body(void *http, size_t *size);
void http_exchange_on_body_received(void *http, size_t size);

/* Counts and logs the request, frees its memory and initialises the exchange
 * for the next one. `whole`: the reply was sent. */
void http_exchange_close(void *http, bool whole);

/* The same for a request that the engine has not completed, and whose texts it
 * has freed: a connection that epoll could not take back. */
void http_exchange_lose(struct http_exchange *http);

/* Sends the job's reply, an error, at once; the connection is to be closed. */
void http_exchange_send_early(struct http_exchange *http);
