/* How the loops of one listening port differ from those of another. Constant
 * while loops run. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/api.h"
#include "server/http/service.h"

struct listener_profile {
    size_t limit; /* connections that may be open at once */
    bool tls;     /* connections speak TLS */
    bool counted; /* in service.connections, and for each client address */

    /* True if the port serves the route; NULL: it serves all routes. */
    bool (*serves)(const struct api_route *route);
    const char *not_served; /* text of the 404 for the other routes */

    /* Borrowed: an enum service_phase, which says how long connections are
     * kept. Whether the service is ready is told by service.phase. */
    const atomic_int *phase;

    /* Called on a loop's thread when a connection of the port is being closed:
     * it no longer counts, its descriptor may still be open. */
    void (*on_closed)(void *context);
    void *on_closed_context; /* borrowed */
};

static inline enum service_phase
listener_profile_phase(const struct listener_profile *profile)
{
    return (enum service_phase)atomic_load(profile->phase);
}
