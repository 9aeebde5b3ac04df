/* One connection: a socket, an HTTP/2 session, and its calls. Loop thread only.
 *
 * nghttp2 must not be entered from its own callbacks, and a session can end in
 * any call of its functions. So the callbacks, and what they call, only submit
 * frames; session_kick() sends them, as the last act of who calls it. */
#pragma once

#include <stdbool.h>

#include "server/grpc/call.h"
#include "server/grpc/session_state.h"

/* Takes the socket over; without memory it is closed at once. */
void session_adopt(struct port *port, const struct arrival *arrival);

/* To be called when the socket is readable or writable, or `waiting`. */
void session_run(struct session *session);

/* Leaves a readable socket alone until the next session_check(), which waits
 * for it again. */
void session_hold(struct session *session);

/* The client has acknowledged a PING of ours that carried `data`. */
void session_acknowledge(struct session *session, const uint8_t data[8]);

/* Closes the connection; calls that workers have are cancelled. The session may
 * be gone afterwards. */
void session_close(struct session *session);

/* Refuses a client that floods: closes the connection with a reason; at once
 * where nghttp2 has given up. */
void session_refuse_flood(struct session *session);
void session_end_flood(struct session *session);

/* Limits and deadlines. To be called every tick; `judge`: a second has passed.
 */
void session_check(struct session *session, bool judge);

/* Makes nghttp2's session. False without memory. */
bool session_open_h2(struct session *session);

/* The callbacks and options of all sessions. False without memory. */
bool session_setup_init(struct port *port);

/* Closes our half, behind what was sent, and discards input for a while; that
 * of a flood is left in the socket. */
void session_linger(struct session *session);

/* Adds what the session has to send to the output. False: it is broken. */
bool session_collect(struct session *session);
