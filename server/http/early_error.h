/* Answers where libmicrohttpd cannot yet: while headers or a body arrive. */
#pragma once

struct connection;

/* Writes the connection's answer, an error, straight to the socket and ends
 * our half of the connection. Nothing of an answer has been sent for this
 * request. Loop thread only. */
void early_error_send(struct connection *connection);
