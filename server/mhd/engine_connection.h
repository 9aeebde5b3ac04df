/* The engine's side of one connection. It exists from the handler opened() to
 * closed(). Thread of the engine only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/socket/socket_io.h"

struct engine;
struct engine_connection;

/* Zeroed memory of ENGINE_OWNER_BYTES for a connection's owner, beside what the
 * engine keeps of it (slots.h). It lasts until the handler closed() returns,
 * or, if no socket was adopted for it, until engine_discard(). NULL: without
 * memory, or the engine has as many as its limit. */
void *engine_reserve(struct engine *engine);
void engine_discard(struct engine *engine, void *owner);

/* Adopts a socket and its transport (TLS; all zero: none). `owner` is the
 * handlers' argument, of engine_reserve(). False when there is no memory: no
 * handler has been called, the socket is closed and the transport freed. */
bool engine_adopt(struct engine *engine, int fd, struct socket_layer transport,
                  void *owner);

/* Calls `each` with every header of the request, in order. Texts live until the
 * request is completed; `value` is never NULL. */
typedef void engine_header(void *context, const char *name, size_t name_len,
                           const char *value);
void engine_each_header(struct engine_connection *connection,
                        engine_header *each, void *context);

/* The value of a header, its name in any case; NULL when it is absent. */
const char *engine_find_header(struct engine_connection *connection,
                               const char *name);

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

/* The same, without the kernel sending what a slow reader left. */
void engine_reset(struct engine_connection *connection);

/* Bytes of the reply's body that the system has taken since the last request's
 * end. */
uint64_t engine_sent_body(const struct engine_connection *connection);

/* True if the handshake of its transport is done, or it needs none. */
bool engine_is_established(const struct engine_connection *connection);

/* The fault that ended its transport, a static text; NULL: none. */
const char *engine_fault(const struct engine_connection *connection);

/* True if the client has ended the connection or its half. libmicrohttpd does
 * not see an end that came together with data. */
bool engine_has_ended(struct engine_connection *connection, bool suspended);

/* Gives the memory of a connection that waits for its client back to the
 * system, as far as that can be done unseen. `idle`: between two requests, so
 * that the kernel's buffers get narrow, too. */
void engine_trim(struct engine_connection *connection, bool idle);

/* True if the client has sent bytes that were not received yet. */
bool engine_has_unread(const struct engine_connection *connection);

/* True if the kernel holds more than 4 KiB that the client has not taken. */
bool engine_has_unsent(const struct engine_connection *connection);

/* Bytes that the client has sent (or, with `sends`, acknowledged) until now, by
 * a count whose differences only matter. */
uint64_t engine_moved(const struct engine_connection *connection, bool sends);
