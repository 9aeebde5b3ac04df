/* A second protocol on the loops of HTTP/1.1, with a port of its own: how a
 * loop calls it, without knowing it. Loop thread only, but for start() and
 * free().
 */
#pragma once

#include <uv.h>

struct arrival; /* of arrivals.h */
struct loop_context;
struct loop_guest_state; /* of the protocol, for one loop */

struct loop_guest {
    /* Before the loop's thread. The handles of `uv` are closed by the loop.
     * NULL without memory or a descriptor. */
    struct loop_guest_state *(*start)(struct loop_context *loop, uv_loop_t *uv);
    /* Takes an accepted socket. */
    void (*adopt)(struct loop_guest_state *state,
                  const struct arrival *arrival);
    /* About every 100 ms, and more often while the port stops. */
    void (*tick)(struct loop_guest_state *state);
    /* After the thread; all connections have ended. NULL is allowed. */
    void (*free)(struct loop_guest_state *state);
};
