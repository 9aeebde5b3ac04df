/* Cross-origin requests: pages of the origins that --cors-allow-origin lists
 * may read our replies. */
#pragma once

#include "api/api.h"
#include "server/message/headers.h"

/* The value of Access-Control-Allow-Origin for this request; NULL: the header
 * is left out. `allowed` is the option: NULL, "*", or origins separated by
 * commas. The text is part of one of the two arguments. */
const char *cors_origin(const char *allowed, const struct headers *headers);

/* Makes the 405 of an OPTIONS request a 204 if it is a preflight of a browser
 * and its origin is allowed. The list of methods is in the reply already. */
void cors_preflight(const char *allowed, const struct headers *headers,
                    struct api_reply *reply);
