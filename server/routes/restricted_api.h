/* The APIs that --http-restricted-api names: groups of routes. */
#pragma once

#include <stddef.h>

#include "api/api.h"

enum restricted_api {
    RESTRICTED_API_HEALTH,
    RESTRICTED_API_METADATA,
    RESTRICTED_API_INFERENCE,
    RESTRICTED_API_SHARED_MEMORY,
    RESTRICTED_API_CONFIG,
    RESTRICTED_API_REPOSITORY,
    RESTRICTED_API_STATISTICS,
    RESTRICTED_API_LOGGING,
    RESTRICTED_API_METRICS,
    RESTRICTED_API_NONE, /* no such API, or a route that is always open */
};

/* The API of this name, of `len` bytes. */
enum restricted_api restricted_api_find(const char *name, size_t len);

enum restricted_api restricted_api_of(enum api_route_id route);
