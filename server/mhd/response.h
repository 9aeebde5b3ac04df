/* A reply for libmicrohttpd to send. Thread of the engine only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "server/mhd/engine_connection.h"

struct MHD_Response;

enum { RESPONSE_MAX_PIECES = 4 };

struct response {
    struct MHD_Response *mhd; /* owned */
    size_t len;               /* bytes of the body */
};

/* Makes a reply of at most RESPONSE_MAX_PIECES pieces, whose bytes are
 * borrowed until the request is completed. False when there is no memory.
 * response_free() frees in either case. */
bool response_init(struct response *response, const struct iovec *pieces,
                   size_t count);

/* Adds a header to a struct response; both texts are copied. False when there
 * is no memory. */
bool response_add(void *response, const char *name, const char *value);

/* False when libmicrohttpd refuses it: the connection is to be closed. */
bool response_queue(const struct response *response,
                    struct engine_connection *connection, int status);

/* A queued reply is sent all the same. */
void response_free(struct response *response);

/* The phrase of a status code ("Not Found"). */
const char *response_phrase(int status);
