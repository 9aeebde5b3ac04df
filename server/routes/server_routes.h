/* The routes that the server answers itself: they are about the server, not
 * about a request's tensors. */
#pragma once

#include "server/work/job.h"

/* Makes the reply of such a route; false when api/ answers the route. Takes
 * microseconds: a loop may call it. */
bool server_routes_answer(struct job *job, const struct api_route *route);

/* For server_routes_answer(), GET /metrics: in Prometheus' text format, or in
 * OpenMetrics where the client accepts that as well. */
void metrics_route_answer(struct job *job);

/* The same, /v2/logging: changes the settings that the body names; the reply is
 * all settings. */
void logging_route_answer(struct job *job);

/* The same, the routes of the statistics extension:
 * /v2/models/{model}/stats and /v2/models/stats. */
void statistics_route_answer(struct job *job, const struct api_route *route);

/* The same, the shared memory extensions, of the system or of CUDA. There is no
 * CUDA shared memory: to register it is an error; to unregister is not, because
 * clients unregister all regions before they start. */
void shm_routes_answer(struct job *job, const struct api_route *route,
                       bool is_cuda);
