#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "kernels/core/status.h"

#define GET "GET, HEAD"
#define POST "POST"
#define ROUTE(id, allow, path)                                                 \
    {                                                                          \
        path, allow, API_ROUTE_##id, false                                     \
    }
#define AGAIN(id, allow, path)                                                 \
    {                                                                          \
        path, allow, API_ROUTE_##id, true                                      \
    }

/* All routes. {model}, {version} and {region} stand for one path segment. No
 * path matches two, except /v2/models/stats; the most frequent are first. */
static const struct entry {
    const char *path;
    const char *allow; /* methods, as the Allow header spells them */
    enum api_route_id id;
    bool again; /* another path of the row before, with that row's label */
} routes[] = {
    ROUTE(INFER, POST, "/v2/models/{model}/infer"),
    AGAIN(INFER, POST, "/v2/models/{model}/versions/{version}/infer"),
    ROUTE(SERVER, GET, "/v2"),
    AGAIN(SERVER, GET, "/v2/"),
    ROUTE(READY, GET, "/v2/health/ready"),
    AGAIN(READY, GET, "/healthz"), /* where probes of other servers ask */
    ROUTE(LIVE, GET, "/v2/health/live"),
    ROUTE(MODELS, GET, "/v2/models"),
    /* Before {model}: no model may have this name. */
    ROUTE(STATISTICS, GET, "/v2/models/stats"),
    ROUTE(MODEL, GET, "/v2/models/{model}"),
    AGAIN(MODEL, GET, "/v2/models/{model}/versions/{version}"),
    ROUTE(MODEL_READY, GET, "/v2/models/{model}/ready"),
    AGAIN(MODEL_READY, GET, "/v2/models/{model}/versions/{version}/ready"),
    ROUTE(CONFIG, GET, "/v2/models/{model}/config"),
    AGAIN(CONFIG, GET, "/v2/models/{model}/versions/{version}/config"),
    ROUTE(STATISTICS, GET, "/v2/models/{model}/stats"),
    AGAIN(STATISTICS, GET, "/v2/models/{model}/versions/{version}/stats"),
    ROUTE(INDEX, POST, "/v2/repository/index"),
    ROUTE(LOAD, POST, "/v2/repository/models/{model}/load"),
    ROUTE(LOAD, POST, "/v2/repository/models/{model}/unload"),
    ROUTE(SHM_STATUS, GET, "/v2/systemsharedmemory/status"),
    ROUTE(SHM_UNREGISTER, POST, "/v2/systemsharedmemory/unregister"),
    ROUTE(SHM_STATUS, GET, "/v2/systemsharedmemory/region/{region}/status"),
    ROUTE(SHM_REGISTER, POST,
          "/v2/systemsharedmemory/region/{region}/register"),
    ROUTE(SHM_UNREGISTER, POST,
          "/v2/systemsharedmemory/region/{region}/unregister"),
    ROUTE(CUDA_STATUS, GET, "/v2/cudasharedmemory/status"),
    ROUTE(CUDA_UNREGISTER, POST, "/v2/cudasharedmemory/unregister"),
    ROUTE(CUDA_STATUS, GET, "/v2/cudasharedmemory/region/{region}/status"),
    ROUTE(CUDA_REGISTER, POST, "/v2/cudasharedmemory/region/{region}/register"),
    ROUTE(CUDA_UNREGISTER, POST,
          "/v2/cudasharedmemory/region/{region}/unregister"),
    ROUTE(LOGGING, "GET, HEAD, POST", "/v2/logging"),
    ROUTE(METRICS, GET, "/metrics"),
    ROUTE(CONTRACT, GET, "/openapi.yaml"),
    ROUTE(CONTRACT_JSON, GET, "/openapi.json"),
    ROUTE(PAGE, GET, "/"),
    ROUTE(DOCS, GET, "/docs"),
    ROUTE(STATUS, GET, "/status"),
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
    char text[256], shown[132];

    if (entry && allows(entry->allow, method)) {
        route->id = entry->id;
        return true;
    }
    if (entry)
        snprintf(text, sizeof(text),
                 "method %.32s is not allowed on %s: use %s", method,
                 entry->path, entry->allow);
    else
        snprintf(text, sizeof(text),
                 "no route %s: GET /v2/models lists the models, POST "
                 "/v2/models/{model}/infer asks one",
                 shorten(path, strlen(path), shown, sizeof(shown)));
    api_reply_error(reply, entry ? 405 : 404, text);
    reply->allow = entry ? entry->allow : NULL;
    return false;
}

const char *api_route_at(size_t index, const char **allow)
{
    if (index >= sizeof(routes) / sizeof(routes[0]))
        return NULL;
    *allow = routes[index].allow;
    return routes[index].path;
}
