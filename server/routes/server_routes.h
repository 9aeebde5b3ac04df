/* The server's part of each route: the API that restricts it, and the answers
 * of routes about the server, not about a request's tensors. */
#pragma once

#include "server/work/job.h"

/* The APIs that --http-restricted-api names: groups of routes. */
enum restricted_api {
    RESTRICTED_API_UNKNOWN, /* no such API; no route has it */
    RESTRICTED_API_HEALTH,
    RESTRICTED_API_METADATA,
    RESTRICTED_API_INFERENCE,
    RESTRICTED_API_SHARED_MEMORY,
    RESTRICTED_API_CONFIG,
    RESTRICTED_API_REPOSITORY,
    RESTRICTED_API_STATISTICS,
    RESTRICTED_API_LOGGING,
    RESTRICTED_API_METRICS,
    RESTRICTED_API_NONE, /* of a route that is always open */
};

enum restricted_api server_routes_api(enum api_route_id route);

/* Makes the reply of a route that the server answers; false when api/ answers
 * it. Takes microseconds: a loop may call it. */
bool server_routes_answer(struct job *job, const struct api_route *route);
