/* libmicrohttpd as a loop uses it: no thread, no listening socket, one epoll
 * descriptor to watch. The rest of the server knows this room's functions, not
 * libmicrohttpd.
 *
 * An engine and its connections belong to one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "server/mhd/body_receive.h"
#include "server/socket/transport.h"

struct MHD_Response;
struct engine;
struct engine_connection; /* from engine_adopt() to the handler closed() */

enum { ENGINE_OWNER_BYTES = 1664 }; /* of engine_reserve() */

/* An engine's callbacks, for its connections. `connection` is the owner's, as
 * given to engine_adopt(). For a request the order is: request_line, headers,
 * any number of body, end (again after engine_resume()), completed. It may
 * break off after any of them, and then goes on with completed or closed. */
struct engine_handlers {
    /* The handshake of its transport is done. */
    void (*established)(void *connection);
    /* The client has sent bytes, after the handshake. */
    void (*received)(void *connection);
    /* libmicrohttpd cannot read a request, of which a part may have been handed
     * on, or cannot send its reply: `status` and `text` say why. To be answered
     * by engine_send_early(); `head_only`: without a body. */
    void (*unparsed)(void *connection, int status, const char *text,
                     bool head_only);
    void (*request_line)(void *connection, const char *uri);
    /* False from these three: the connection is closed. A reply was written by
     * engine_send_early(), or could not be queued. */
    bool (*headers)(void *connection, const char *url, const char *method);
    /* `len` > 0. Bytes that engine_receive_body() put into the body are not
     * among them. */
    bool (*body)(void *connection, const char *data, size_t len);
    bool (*end)(void *connection);
    /* `whole`: the reply was sent. */
    void (*completed)(void *connection, bool whole);
    /* The last call. `rest`: NULL, or the
     * socket, to be taken over and to linger: its client has not acknowledged
     * all replies or, with `drops`, may still send. */
    void (*closed)(void *connection, struct transport *rest, bool drops);
    struct body_target target; /* of engine_receive_body() */
    /* A line of libmicrohttpd's log, for debugging. */
    void (*message)(void *context, const char *text);
};

struct engine_setup {
    const struct engine_handlers *handlers; /* borrowed */
    void *context;                          /* of message() */
    unsigned connection_limit;
    /* Of each connection's socket; borrowed, as the next. */
    const struct socket_buffers_setup *buffers;
    uint64_t *handshake_ns; /* handshakes add the time that they take */
};

/* NULL when it cannot be started. engine_stop() frees. Any thread. */
struct engine *engine_start(const struct engine_setup *setup);

/* Readable when engine_run() has something to do. */
int engine_fd(const struct engine *engine);

/* Runs libmicrohttpd: up to 16 rounds, as long as they make progress. */
void engine_run(struct engine *engine);

/* To be called before the loop sleeps: runs the engine if a connection was
 * adopted or resumed. Returns the milliseconds until the next engine_run(), or
 * -1: none before engine_fd() is readable. */
int64_t engine_next_run_ms(struct engine *engine);

/* No connection may be suspended: libmicrohttpd aborts the process then. */
void engine_stop(struct engine *engine);

/* Zeroed memory of ENGINE_OWNER_BYTES for a connection's owner, beside what the
 * engine keeps of it (slots.h), for engine_adopt(). NULL: without memory, or
 * the engine has as many as its limit. */
void *engine_reserve(struct engine *engine);

/* The engine's part of that memory. */
struct engine_connection *engine_of(void *owner);

/* Adopts a socket and its layer (TLS; all zero: none). `owner` is the
 * handlers' argument, of engine_reserve(), until closed() returns, which is
 * called at once when there is no memory. */
void engine_adopt(struct engine *engine, int fd, struct socket_layer layer,
                  void *owner);

/* Calls `each` with every header of the request, in order. Texts live until the
 * request is completed; `value` is never NULL. */
typedef void engine_header(void *context, const char *name, size_t name_len,
                           const char *value);
void engine_each_header(struct engine_connection *connection,
                        engine_header *each, void *context);

/* The value of a header of a struct engine_connection's request, its name in
 * any case; NULL when it is absent. */
const char *engine_find_header(void *connection, const char *name);

/* Receives the body, of `len` bytes, straight into the handlers' target, if
 * that is worth it. To be called in the handler headers(). */
void engine_receive_body(struct engine_connection *connection, size_t len);

/* Drops the next `len` bytes of the body, as many as are still to be handed on:
 * all, some or none of them come to the handler body() all the same. */
void engine_drop_body(struct engine_connection *connection, size_t len);

/* Ends the direct receive; does nothing when there is none. */
void engine_receive_stop(struct engine_connection *connection);

/* No handler is called between the two; engine_resume() calls end() again. Once
 * per request: libmicrohttpd loses a resume that is followed by a suspend. */
void engine_suspend(struct engine_connection *connection);
void engine_resume(struct engine_connection *connection);

/* Writes a reply straight to the transport, as far as the socket has room,
 * and ends our half of the connection. Nothing of another reply has been sent
 * for this request. */
void engine_send_early(struct engine_connection *connection, const char *data,
                       size_t len);

/* Ends the connection from outside: libmicrohttpd sees it and closes. */
void engine_hang_up(struct engine_connection *connection);

/* The same by a reset: the kernel drops unsent bytes. */
void engine_reset(struct engine_connection *connection);

/* Bytes of the reply's body that the system has taken since the last request's
 * end. */
uint64_t engine_sent_body(const struct engine_connection *connection);

/* Its transport: to be asked, no more. */
const struct transport *
engine_transport(const struct engine_connection *connection);

/* True if the client has ended the connection or its half. libmicrohttpd does
 * not see an end that came together with data. */
bool engine_has_ended(struct engine_connection *connection, bool suspended);

/* Gives the memory of a connection that waits for its client back to the
 * system, as far as that can be done unseen. `idle`: between two requests, so
 * that the kernel's buffers get narrow, too. */
void engine_trim(struct engine_connection *connection, bool idle);

/* A counter of the client's bytes: received or, with `sends`, acknowledged. Its
 * start does not matter. */
uint64_t engine_moved(const struct engine_connection *connection, bool sends);

enum { RESPONSE_MAX_PIECES = 4 };

/* Makes a reply of at most RESPONSE_MAX_PIECES pieces, whose bytes are
 * borrowed until the request is completed. NULL without memory.
 * response_free() frees. */
struct MHD_Response *response_new(const struct iovec *pieces, size_t count);

/* Adds a header; both texts are copied. False without memory. */
bool response_add(void *response, const char *name, const char *value);

/* Sends a reply with a body of `len` bytes. False when libmicrohttpd refuses
 * it: the connection is to be closed. */
bool response_queue(struct MHD_Response *response, size_t len,
                    struct engine_connection *connection, int status);

/* A queued reply is sent all the same. */
void response_free(struct MHD_Response *response);

/* The phrase of a status code ("Not Found"). */
const char *response_phrase(int status);
