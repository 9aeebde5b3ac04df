/* HTTP/1 on a loop: its connections, in an engine that the loop drives. */
#pragma once

#include <stdbool.h>
#include <uv.h>

#include "server/conn/connection_list.h"
#include "server/http/http_exchange.h"
#include "server/mhd/engine.h"

struct connection {
    struct http_exchange http; /* the current one, or the next; first */
    struct connection_state state;
    struct stage_entry received; /* of the port's */
    bool has_received; /* bytes have come since the port's last tick */
};

/* HTTP's state of one loop. */
struct http_port {
    struct engine *engine;       /* owned */
    struct stage_queue received; /* connections that bytes have come from since
                                  * the last tick */
    uv_poll_t poll;              /* of the engine's descriptor */
    uv_prepare_t before;         /* each wait */
    uv_timer_t timeout;          /* of the engine */
};

/* For the profile of a port. */
extern const struct protocol protocol_http;
