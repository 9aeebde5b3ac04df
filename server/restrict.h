/* Parts of the interface that want a header with a secret: one of the options
 * --http-restricted-api, each "API,API:HEADER=VALUE" or "...=@FILE". */
#pragma once

#include <stdbool.h>

#include "api/api.h"
#include "kernels/status.h"
#include "server/options.h"

struct MHD_Connection;

struct restriction {
    unsigned apis;      /* a bit for each */
    const char *header; /* owned, as the value */
    const char *value;
};

/* Constant after start. */
struct restrictions {
    int count;
    struct restriction all[OPTIONS_MOST_TEXTS];
};

/* Reads the options, and the files they name. INVALID names the option and
 * what is wrong with it, never the secret. */
bool restrictions_init(struct restrictions *restrictions,
                       const struct options *options, struct status *st);

void restrictions_free(struct restrictions *restrictions);

/* Whether the request may ask this route. If not, the reply is the 403, or the
 * 401 where a bearer token is missing. Loop thread. */
bool restrictions_pass(const struct restrictions *restrictions,
                       enum api_route_id route,
                       struct MHD_Connection *connection,
                       struct api_reply *reply);
