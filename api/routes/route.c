#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "kernels/core/status.h"

#define ROUTE(id, group, allow, path)                                          \
    {path, allow, group, API_ROUTE_##id, false},
#define AGAIN(path) {path, NULL, NULL, API_ROUTE_NONE, true},

const struct api_route_row api_routes[] = {
    API_ROUTE_LIST(ROUTE, ROUTE, AGAIN){NULL, NULL, NULL, API_ROUTE_NONE,
                                        false},
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
