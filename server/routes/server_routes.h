/* The routes that the server answers itself: they are about the server, not
 * about a request's tensors. */
#pragma once

#include "server/jobs/job.h"

/* Makes the reply of such a route; false when api/ answers the route. Takes
 * microseconds: a loop may call it. */
bool server_routes_answer(struct job *job, const struct api_route *route);
