/* Parts of the interface that want a header with a secret: one of the options
 * --http-restricted-api, each "API,API:HEADER=VALUE" or "...=@FILE". */
#pragma once

#include <stdbool.h>

#include "api/api.h"
#include "kernels/core/status.h"
#include "server/config/options.h"

struct MHD_Connection;

struct route_auth_rule {
    unsigned apis;      /* a bit for each */
    const char *header; /* owned, as the value */
    const char *value;
};

/* Constant after start. */
struct route_auth {
    int count;
    struct route_auth_rule all[OPTIONS_MOST_TEXTS];
};

/* Reads the options, and the files they name. INVALID names the option and
 * what is wrong with it, never the secret. */
bool route_auth_init(struct route_auth *route_auth,
                     const struct options *options, struct status *st);

void route_auth_free(struct route_auth *route_auth);

/* Whether the request may ask this route. If not, the reply is the 403, or the
 * 401 where a bearer token is missing. Loop thread. */
bool route_auth_pass(const struct route_auth *route_auth,
                     enum api_route_id route, struct MHD_Connection *connection,
                     struct api_reply *reply);
