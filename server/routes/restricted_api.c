#include "server/routes/restricted_api.h"

#include <string.h>

/* In the order of the enum. Triton's names; "metrics" is an addition. */
static const char *const names[] = {
    "health",       "metadata",
    "inference",    "shared-memory",
    "model-config", "model-repository",
    "statistics",   "logging",
    "metrics",      NULL,
};

enum restricted_api restricted_api_find(const char *name, size_t len)
{
    int i = 0;

    while (names[i] &&
           (strlen(names[i]) != len || memcmp(names[i], name, len) != 0))
        i++;
    return (enum restricted_api)i;
}

enum restricted_api restricted_api_of(enum api_route_id route)
{
    switch (route) {
    case API_ROUTE_LIVE:
    case API_ROUTE_READY:
    case API_ROUTE_MODEL_READY:
        return RESTRICTED_API_HEALTH;
    case API_ROUTE_SERVER:
    case API_ROUTE_MODELS:
    case API_ROUTE_MODEL:
        return RESTRICTED_API_METADATA;
    case API_ROUTE_INFER:
        return RESTRICTED_API_INFERENCE;
    case API_ROUTE_SHM_STATUS:
    case API_ROUTE_SHM_REGISTER:
    case API_ROUTE_SHM_UNREGISTER:
    case API_ROUTE_CUDA_STATUS:
    case API_ROUTE_CUDA_REGISTER:
    case API_ROUTE_CUDA_UNREGISTER:
        return RESTRICTED_API_SHARED_MEMORY;
    case API_ROUTE_CONFIG:
        return RESTRICTED_API_CONFIG;
    case API_ROUTE_INDEX:
    case API_ROUTE_LOAD:
        return RESTRICTED_API_REPOSITORY;
    case API_ROUTE_STATISTICS:
        return RESTRICTED_API_STATISTICS;
    case API_ROUTE_LOGGING:
        return RESTRICTED_API_LOGGING;
    case API_ROUTE_METRICS:
        return RESTRICTED_API_METRICS;
    /* The same for everybody; the pages ask for the header where the routes
     * that they call are restricted. */
    case API_ROUTE_CONTRACT:
    case API_ROUTE_CONTRACT_JSON:
    case API_ROUTE_PAGE:
    case API_ROUTE_DOCS:
    case API_ROUTE_STATUS:
    case API_ROUTE_NONE:
        break;
    }
    return RESTRICTED_API_NONE;
}
