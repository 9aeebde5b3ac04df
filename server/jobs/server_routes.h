/* The routes that the server answers itself, for they are about the server. */
#pragma once

#include "server/jobs/job.h"

/* False when the route is api/'s to answer. Loop thread. */
bool server_routes_answer(struct job *job, const struct api_route *route);
