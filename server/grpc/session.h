/* One connection: a socket, an HTTP/2 session, and its calls. Loop thread only.
 *
 * nghttp2 must not be entered from its own callbacks, and a session can end in
 * any call of its functions. So the callbacks, and what they call, only submit
 * frames; session_kick() sends them, as the last act of who calls it. */
#pragma once

#include <stdbool.h>

#include "server/grpc/call.h"
#include "server/grpc/session_state.h"
#include "server/http/service.h"

/* Takes the socket over; without memory it is closed at once. */
void session_adopt(struct port *port, const struct arrival *arrival);

/* To be called when the socket is readable or writable, or `waiting`. */
void session_run(struct session *session);

/* Leaves a readable socket alone until the next session_check(), which waits
 * for it again. session_watch() is false without memory for that. */
void session_hold(struct session *session);
bool session_watch(struct session *session);

/* Begins the end: no streams are begun any more once the client has seen that,
 * or after SESSION_DEAF_MS. */
void session_notice(struct session *session);

/* The client has acknowledged a PING of ours that carried `data`. */
void session_acknowledge(struct session *session, const uint8_t data[8]);

/* Refuses streams from now on and closes the connection after the last. */
void session_leave(struct session *session);

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

/* The callbacks. */
void session_frames_set(struct nghttp2_session_callbacks *callbacks);

/* Receives what there is, for some turns. */
void session_receive(struct session *session);

/* Closes our half, behind what was sent, and discards input for a while; that
 * of a flood is left in the socket. */
void session_linger(struct session *session);

/* Lets the session be run again after others. */
void session_run_again(struct session *session);

/* Adds what the session has to send to the output. False: it is broken. */
bool session_collect(struct session *session);
