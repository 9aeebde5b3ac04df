#include <stdio.h>
#include <string.h>

#include "api/api.h"

/* All routes. {m}, {v} and {r} stand for one path segment. No path matches two,
 * except /v2/models/stats; the most frequent are first. */
static const struct entry {
    const char *pattern;
    const char *label;
    const char *allow; /* methods, as the Allow header spells them */
    enum api_route_id id;
} routes[] = {
    {"/v2/models/{m}/infer", "/v2/models/{model}/infer", "POST",
     API_ROUTE_INFER},
    {"/v2/models/{m}/versions/{v}/infer", "/v2/models/{model}/infer", "POST",
     API_ROUTE_INFER},
    {"/v2", "/v2", "GET, HEAD", API_ROUTE_SERVER},
    {"/v2/", "/v2", "GET, HEAD", API_ROUTE_SERVER},
    {"/v2/health/live", "/v2/health/live", "GET, HEAD", API_ROUTE_LIVE},
    {"/v2/health/ready", "/v2/health/ready", "GET, HEAD", API_ROUTE_READY},
    {"/v2/models", "/v2/models", "GET, HEAD", API_ROUTE_MODELS},
    /* Before {m}: no model may have this name. */
    {"/v2/models/stats", "/v2/models/stats", "GET, HEAD", API_ROUTE_STATISTICS},
    {"/v2/models/{m}", "/v2/models/{model}", "GET, HEAD", API_ROUTE_MODEL},
    {"/v2/models/{m}/versions/{v}", "/v2/models/{model}", "GET, HEAD",
     API_ROUTE_MODEL},
    {"/v2/models/{m}/ready", "/v2/models/{model}/ready", "GET, HEAD",
     API_ROUTE_MODEL_READY},
    {"/v2/models/{m}/versions/{v}/ready", "/v2/models/{model}/ready",
     "GET, HEAD", API_ROUTE_MODEL_READY},
    {"/v2/models/{m}/config", "/v2/models/{model}/config", "GET, HEAD",
     API_ROUTE_CONFIG},
    {"/v2/models/{m}/versions/{v}/config", "/v2/models/{model}/config",
     "GET, HEAD", API_ROUTE_CONFIG},
    {"/v2/models/{m}/stats", "/v2/models/{model}/stats", "GET, HEAD",
     API_ROUTE_STATISTICS},
    {"/v2/models/{m}/versions/{v}/stats", "/v2/models/{model}/stats",
     "GET, HEAD", API_ROUTE_STATISTICS},
    {"/v2/repository/index", "/v2/repository/index", "POST", API_ROUTE_INDEX},
    {"/v2/repository/models/{m}/load", "/v2/repository/models/{model}/load",
     "POST", API_ROUTE_LOAD},
    {"/v2/repository/models/{m}/unload", "/v2/repository/models/{model}/unload",
     "POST", API_ROUTE_LOAD},
    {"/v2/systemsharedmemory/status", "/v2/systemsharedmemory/status",
     "GET, HEAD", API_ROUTE_SHM_STATUS},
    {"/v2/systemsharedmemory/unregister", "/v2/systemsharedmemory/unregister",
     "POST", API_ROUTE_SHM_UNREGISTER},
    {"/v2/systemsharedmemory/region/{r}/status",
     "/v2/systemsharedmemory/region/{region}/status", "GET, HEAD",
     API_ROUTE_SHM_STATUS},
    {"/v2/systemsharedmemory/region/{r}/register",
     "/v2/systemsharedmemory/region/{region}/register", "POST",
     API_ROUTE_SHM_REGISTER},
    {"/v2/systemsharedmemory/region/{r}/unregister",
     "/v2/systemsharedmemory/region/{region}/unregister", "POST",
     API_ROUTE_SHM_UNREGISTER},
    {"/v2/cudasharedmemory/status", "/v2/cudasharedmemory/status", "GET, HEAD",
     API_ROUTE_CUDA_STATUS},
    {"/v2/cudasharedmemory/unregister", "/v2/cudasharedmemory/unregister",
     "POST", API_ROUTE_CUDA_UNREGISTER},
    {"/v2/cudasharedmemory/region/{r}/status",
     "/v2/cudasharedmemory/region/{region}/status", "GET, HEAD",
     API_ROUTE_CUDA_STATUS},
    {"/v2/cudasharedmemory/region/{r}/register",
     "/v2/cudasharedmemory/region/{region}/register", "POST",
     API_ROUTE_CUDA_REGISTER},
    {"/v2/cudasharedmemory/region/{r}/unregister",
     "/v2/cudasharedmemory/region/{region}/unregister", "POST",
     API_ROUTE_CUDA_UNREGISTER},
    {"/v2/logging", "/v2/logging", "GET, HEAD, POST", API_ROUTE_LOGGING},
    {"/metrics", "/metrics", "GET, HEAD", API_ROUTE_METRICS},
    {"/openapi.yaml", "/openapi.yaml", "GET, HEAD", API_ROUTE_CONTRACT},
    {"/", "/", "GET, HEAD", API_ROUTE_PAGE},
};

/* Records the path segment at `at` under its placeholder's name; NULL for an
 * empty one. */
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
        pattern += 3;
    }
    return at && *at == '\0';
}

static const struct entry *find(const char *path, struct api_route *route)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        *route = (struct api_route){.label = routes[i].label};
        if (matches(routes[i].pattern, path, route))
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

static void refuse_method(const struct entry *entry, const char *method,
                          struct api_reply *reply)
{
    char text[160];

    snprintf(text, sizeof(text), "method %.32s is not allowed on %s: use %s",
             method, entry->label, entry->allow);
    api_reply_error(reply, 405, text);
    reply->allow = entry->allow;
}

bool api_route(const char *method, const char *path, struct api_route *route,
               struct api_reply *reply)
{
    const struct entry *entry = find(path, route);
    char text[240];

    if (!entry) {
        snprintf(text, sizeof(text),
                 "no route %.128s: GET /v2/models lists the models, POST "
                 "/v2/models/{model}/infer asks one",
                 path);
        api_reply_error(reply, 404, text);
        return false;
    }
    if (!allows(entry->allow, method)) {
        refuse_method(entry, method, reply);
        return false;
    }
    route->id = entry->id;
    return true;
}

const char *api_route_at(size_t index, const char **allow)
{
    if (index >= sizeof(routes) / sizeof(routes[0]))
        return NULL;
    *allow = routes[index].allow;
    return routes[index].pattern;
}
