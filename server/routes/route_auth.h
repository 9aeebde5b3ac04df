/* Authorization: groups of routes that answer only a request with a secret in a
 * header. The options --http-restricted-api name them, each in the form
 * "API,API:HEADER=VALUE" or "API,API:HEADER=@FILE". */
#pragma once

#include <stdbool.h>

#include "api/api.h"
#include "kernels/core/status.h"
#include "server/base/file_text.h"
#include "server/config/options.h"

enum { ROUTE_AUTH_SECRET = 4096 }; /* bytes of a file */

struct route_auth_rule {
    const char *apis;  /* "API,API:", borrowed from the option */
    char header[128];  /* its name, shorter by 1 or more */
    const char *value; /* the secret, borrowed from the option or the next */
    char secret[FILE_TEXT_ROOM(ROUTE_AUTH_SECRET)];
};

/* Constant after start. */
struct route_auth {
    int count;
    struct route_auth_rule all[OPTION_MAX_TEXTS];
    bool log_changes; /* POST of the logging route is open */
};

/* Reads the options, whose texts it borrows, and the files that they name. The
 * text of an INVALID names the option and the fault, never the secret. */
bool route_auth_init(struct route_auth *route_auth,
                     const struct options *options, struct status *st);

/* The value of a request's header, its name in any case; NULL when absent. */
typedef const char *route_auth_find(void *context, const char *name);

/* True if a request with this method and these headers may use the route. Else
 * `reply` is a 403, or a 401 when a bearer token is missing. The log's settings
 * may only be changed where a rule restricts them or --allow-log-changes is
 * given: a client that turns the log off could hide its other requests. Any
 * thread. */
bool route_auth_allow(const struct route_auth *route_auth,
                      enum api_route_id route, const char *method,
                      route_auth_find *find, void *context,
                      struct api_reply *reply);
