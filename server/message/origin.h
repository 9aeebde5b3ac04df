/* Pages of other origins. By default a browser lets them read no reply, but it
 * sends their simple requests, such as a POST of text. --cors-allow-origin
 * names the origins whose pages may do both. Everywhere `allowed` is that
 * option: NULL, "*", or origins separated by commas. Any thread. */
#pragma once

#include <stdbool.h>

#include "api/api.h"
#include "kernels/core/status.h"
#include "server/message/headers.h"

/* Fails with INVALID when an entry is no origin as browsers write it, and so
 * would never match: the text names it and the fault. */
bool origin_check(const char *allowed, struct status *st);

/* The value of Access-Control-Allow-Origin for this request; NULL: the header
 * is left out. The text is part of one of the two arguments. "*" holds for
 * every request, so that a cache may give a page what it has got for another
 * client. */
const char *origin_allowed(const char *allowed, const struct headers *headers);

/* True if replies depend on the request's Origin, also where it has none. */
bool origin_varies(const char *allowed);

/* The one origin that origin_allowed() gives, also for a request whose headers
 * are not all read; NULL: several origins are allowed, or none. */
const char *origin_only(const char *allowed);

/* Makes the 405 of an OPTIONS request a 204 if it is a preflight of a browser
 * and its origin is allowed. The list of methods is in the reply already. */
void origin_preflight(const char *allowed, const struct headers *headers,
                      struct api_reply *reply);

/* False, and `reply` is a 403, for a request that may change something (its
 * method is not GET, HEAD or OPTIONS), that a page of another origin sent, and
 * that no preflight allowed: the browser sends text, forms and what has no type
 * unasked. Any other type is let pass, for a browser has asked: us, or a proxy
 * that answers preflights itself. Only browsers send an Origin, and they send
 * one with every such request: others are not concerned. What the browser says
 * of the page's site (Sec-Fetch-Site) counts; one that says nothing, as on
 * plain HTTP, must have sent the Origin's address as Host. */
bool origin_may_send(const char *allowed, const struct headers *headers,
                     const char *method, struct api_reply *reply);
