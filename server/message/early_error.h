/* Sends an error reply while headers or a body still arrive: libmicrohttpd
 * would wait for the end of the request. */
#pragma once

#include <stdbool.h>

#include "server/message/reply.h"

/* Writes the reply, an error, straight to the socket and ends our half of the
 * connection. Nothing of another reply has been sent for the request.
 * `head_only`: the method is HEAD. Loop thread only. */
void early_error_send(const struct api_reply *reply,
                      const struct reply_headers *headers, bool head_only,
                      struct engine_connection *connection);
