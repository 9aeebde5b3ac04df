/* Cross-origin requests: pages of the origins that --cors-allow-origin lists
 * may read our answers. */
#pragma once

#include "server/http/headers.h"

/* What Access-Control-Allow-Origin says to this request, or NULL for nothing.
 * `allowed` is the option: NULL, "*", or origins separated by commas. The text
 * is one of the two given. */
const char *cors_origin(const char *allowed, const struct headers *headers);

/* Makes the 405 of an OPTIONS request that a browser sends ahead (and that is
 * allowed) a 204; its Allow header's list is in the reply. */
void cors_preflight(const char *allowed, const struct headers *headers,
                    struct api_reply *reply);
