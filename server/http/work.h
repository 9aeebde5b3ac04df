/* A large request's way to a worker and back. Loop thread only. */
#pragma once

#include <stdbool.h>

struct connection;

/* Suspends the connection and queues its request; when a worker has answered
 * it, the connection is resumed with exchange.worked set. False when the queue
 * is full: the answer then says so. Once per request: libmicrohttpd loses a
 * resume that is followed by a suspend. */
bool work_start(struct connection *connection);
