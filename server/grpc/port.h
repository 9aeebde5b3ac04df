/* gRPC on one loop: what its connections share. A guest of the loops of HTTP
 * (server/http/service.h), with an epoll descriptor of its own: libuv's table
 * of descriptors does not grow with the connections. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "server/http/service.h"
#include "server/limits/crowd.h"
#include "server/limits/handshake_share.h"
#include "server/socket/socket_buffers.h"

struct nghttp2_session_callbacks;
struct nghttp2_option;
struct session;

/* Bytes that are received at a time where they cannot go to their message at
 * once. The memory plan counts with them. */
enum { PORT_SCRATCH = 128 << 10 };

TAILQ_HEAD(session_list, session);

struct port {
    struct loop_context *loop;              /* borrowed, as the next */
    const struct listener_profile *profile; /* of the gRPC port */
    int epoll_fd;
    uv_poll_t poll;   /* of the epoll descriptor */
    uv_async_t again; /* there are sessions in `waiting` */
    /* All; and of them, those that had more to do than one turn lets them. A
     * session is moved to the end when it is turned to. */
    struct session_list sessions, waiting;
    struct nghttp2_session_callbacks *callbacks; /* owned */
    struct nghttp2_option *option;               /* owned */
    struct socket_buffers_setup buffers;
    struct crowd crowd;
    struct handshake_share handshakes;
    uint64_t handshake_ns;  /* that all handshakes have taken */
    uint64_t judged_ms;     /* when progress was checked last */
    unsigned char *scratch; /* owned, of PORT_SCRATCH bytes */
};
