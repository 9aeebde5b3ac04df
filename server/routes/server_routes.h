/* The answers of routes about the server, not about a request's tensors. */
#pragma once

#include "server/work/job.h"

/* Makes the reply of a route that the server answers; false when api/ answers
 * it. Takes microseconds: a loop may call it. */
bool server_routes_answer(struct job *job, const struct api_route *route);
