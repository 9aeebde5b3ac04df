#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "kernels/core/status.h"

#define GET "GET, HEAD"
#define POST "POST"
#define ROUTE(id, group, allow, path)                                          \
    {                                                                          \
        path, allow, group, API_ROUTE_##id, false                              \
    }
#define AGAIN(path)                                                            \
    {                                                                          \
        path, NULL, NULL, API_ROUTE_NONE, true                                 \
    }
#define SHM "shared-memory"
#define SYSTEM "/v2/systemsharedmemory"
#define CUDA "/v2/cudasharedmemory"

/* No path matches two, except /v2/models/stats. */
const struct api_route_row api_routes[] = {
    ROUTE(INFER, "inference", POST, "/v2/models/{model}/infer"),
    AGAIN("/v2/models/{model}/versions/{version}/infer"),
    ROUTE(SERVER, "metadata", GET, "/v2"),
    AGAIN("/v2/"),
    ROUTE(READY, "health", GET, "/v2/health/ready"),
    AGAIN("/healthz"), /* where probes of other servers ask */
    ROUTE(LIVE, "health", GET, "/v2/health/live"),
    ROUTE(MODELS, "metadata", GET, "/v2/models"),
    /* Before {model}: no model may have this name. */
    ROUTE(STATISTICS, "statistics", GET, "/v2/models/stats"),
    ROUTE(MODEL, "metadata", GET, "/v2/models/{model}"),
    AGAIN("/v2/models/{model}/versions/{version}"),
    ROUTE(MODEL_READY, "health", GET, "/v2/models/{model}/ready"),
    AGAIN("/v2/models/{model}/versions/{version}/ready"),
    ROUTE(CONFIG, "model-config", GET, "/v2/models/{model}/config"),
    AGAIN("/v2/models/{model}/versions/{version}/config"),
    ROUTE(STATISTICS, "statistics", GET, "/v2/models/{model}/stats"),
    AGAIN("/v2/models/{model}/versions/{version}/stats"),
    ROUTE(INDEX, "model-repository", POST, "/v2/repository/index"),
    ROUTE(LOAD, "model-repository", POST, "/v2/repository/models/{model}/load"),
    ROUTE(LOAD, "model-repository", POST,
          "/v2/repository/models/{model}/unload"),
    ROUTE(SHM_STATUS, SHM, GET, SYSTEM "/status"),
    ROUTE(SHM_UNREGISTER, SHM, POST, SYSTEM "/unregister"),
    ROUTE(SHM_STATUS, SHM, GET, SYSTEM "/region/{region}/status"),
    ROUTE(SHM_REGISTER, SHM, POST, SYSTEM "/region/{region}/register"),
    ROUTE(SHM_UNREGISTER, SHM, POST, SYSTEM "/region/{region}/unregister"),
    ROUTE(CUDA_STATUS, SHM, GET, CUDA "/status"),
    ROUTE(CUDA_UNREGISTER, SHM, POST, CUDA "/unregister"),
    ROUTE(CUDA_STATUS, SHM, GET, CUDA "/region/{region}/status"),
    ROUTE(CUDA_REGISTER, SHM, POST, CUDA "/region/{region}/register"),
    ROUTE(CUDA_UNREGISTER, SHM, POST, CUDA "/region/{region}/unregister"),
    ROUTE(LOGGING, "logging", "GET, HEAD, POST", "/v2/logging"),
    ROUTE(METRICS, "metrics", GET, "/metrics"),
    /* The same for everybody; the pages ask for the header where the routes
     * that they call are restricted. */
    ROUTE(CONTRACT, NULL, GET, "/openapi.yaml"),
    ROUTE(CONTRACT_JSON, NULL, GET, "/openapi.json"),
    ROUTE(PAGE, NULL, GET, "/"),
    ROUTE(DOCS, NULL, GET, "/docs"),
    ROUTE(STATUS, NULL, GET, "/status"),
    {NULL, NULL, NULL, API_ROUTE_NONE, false},
};

/* Records the path segment at `at` under its placeholder's first letter; NULL
 * for an empty one. */
static const char *capture(char name, const char *at, const char *path,
                           struct api_route *route)
{
    struct api_segment *segment = name == 'v'   ? &route->version
                                  : name == 'r' ? &route->region
                                                : &route->model;

    segment->at = (size_t)(at - path);
    segment->len = (size_t)(strchrnul(at, '/') - at);
    return segment->len > 0 ? at + segment->len : NULL;
}

static bool matches(const char *pattern, const char *path,
                    struct api_route *route)
{
    const char *at = path;

    while (*pattern && at) {
        if (*pattern != '{') {
            if (*pattern++ != *at++)
                return false;
            continue;
        }
        at = capture(pattern[1], at, path, route);
        pattern = strchr(pattern, '}') + 1;
    }
    return at && *at == '\0';
}

static const struct api_route_row *find(const char *path,
                                        struct api_route *route)
{
    for (const struct api_route_row *row = api_routes; row->path; row++) {
        *route = (struct api_route){.id = API_ROUTE_NONE};
        if (!matches(row->path, path, route))
            continue;
        route->label = row[-row->again].path;
        return row;
    }
    *route = (struct api_route){.label = "none"};
    return NULL;
}

static bool allows(const char *list, const char *method)
{
    static const char *const methods[] = {"POST", "GET", "HEAD"};

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (strcmp(methods[i], method) == 0)
            return strstr(list, method) != NULL;
    return false;
}

bool api_route(const char *method, const char *path, struct api_route *route,
               struct api_reply *reply)
{
    const struct api_route_row *found = find(path, route);
    const struct api_route_row *row = found ? found - found->again : NULL;
    char text[256], shown[132];

    if (row && allows(row->allow, method)) {
        route->id = row->id;
        return true;
    }
    if (found)
        snprintf(text, sizeof(text),
                 "method %.32s is not allowed on %s: use %s", method,
                 found->path, row->allow);
    else
        snprintf(text, sizeof(text),
                 "no route %s: GET /v2/models lists the models, POST "
                 "/v2/models/{model}/infer asks one",
                 shorten(path, strlen(path), shown, sizeof(shown)));
    api_reply_error(reply, found ? 405 : 404, text);
    reply->allow = row ? row->allow : NULL;
    return false;
}
