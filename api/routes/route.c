#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "kernels/core/shorten.h"

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

/* All routes. {model}, {version} and {region} stand for one path segment. No
 * path matches two, except /v2/models/stats; the most frequent are first. */
static const struct entry {
    const char *path;
    const char *allow; /* methods, as the Allow header spells them */
    const char *group; /* for api_route_group() */
    enum api_route_id id;
    bool again; /* another path of the row before, which has all else */
} routes[] = {
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
};

/* Records the path segment at `at` under its placeholder's first letter; NULL
 * for an empty one. */
static const char *capture(char name, const char *at, const char *path,
                           struct api_route *route)
{
    size_t *start = &route->model, *len = &route->model_len;

    if (name == 'v') {
        start = &route->version;
        len = &route->version_len;
    } else if (name == 'r') {
        start = &route->region;
        len = &route->region_len;
    }
    *start = (size_t)(at - path);
    *len = strcspn(at, "/");
    return *len > 0 ? at + *len : NULL;
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
        pattern += strcspn(pattern, "}") + 1;
    }
    return at && *at == '\0';
}

static const struct entry *find(const char *path, struct api_route *route)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        *route = (struct api_route){.id = API_ROUTE_NONE};
        if (!matches(routes[i].path, path, route))
            continue;
        route->label = routes[i - routes[i].again].path;
        return &routes[i];
    }
    *route = (struct api_route){.label = "none"};
    return NULL;
}

/* True if the comma-separated list has `method` as a whole word. */
static bool allows(const char *list, const char *method)
{
    size_t len = strlen(method);

    while (*list) {
        size_t word = strcspn(list, ",");

        if (word == len && len > 0 && memcmp(list, method, len) == 0)
            return true;
        list += word;
        list += strspn(list, ", ");
    }
    return false;
}

bool api_route(const char *method, const char *path, struct api_route *route,
               struct api_reply *reply)
{
    const struct entry *entry = find(path, route);
    const struct entry *row = entry ? entry - entry->again : NULL;
    char text[256], shown[132];

    if (row && allows(row->allow, method)) {
        route->id = row->id;
        return true;
    }
    if (entry)
        snprintf(text, sizeof(text),
                 "method %.32s is not allowed on %s: use %s", method,
                 entry->path, row->allow);
    else
        snprintf(text, sizeof(text),
                 "no route %s: GET /v2/models lists the models, POST "
                 "/v2/models/{model}/infer asks one",
                 shorten(path, strlen(path), shown, sizeof(shown)));
    api_reply_error(reply, entry ? 405 : 404, text);
    reply->allow = row ? row->allow : NULL;
    return false;
}

const char *api_route_at(size_t index, const char **allow)
{
    if (index >= sizeof(routes) / sizeof(routes[0]))
        return NULL;
    *allow = routes[index - routes[index].again].allow;
    return routes[index].path;
}

const char *api_route_group(enum api_route_id id)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
        if (routes[i].id == id)
            return routes[i].group;
    return NULL;
}
