#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the connections of one engine share. */
struct io_shared {
    /* The sliced_send in the middle of a large reply; NULL when there is none.
     * One at a time sends, and no body is received meanwhile: mixed, they would
     * push each other out of the cache. */
    const void *send_token;
    /* Counts progress: calls of the request handlers and sent slices. */
    uint64_t progress;
    uint64_t turns;        /* of libmicrohttpd, the present one too */
    uint64_t handshake_ns; /* that handshakes have taken */
    bool stopping;         /* the engine closes all connections */
};
