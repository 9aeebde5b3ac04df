/* The statistics extension: GET /v2/models/{model}/stats and
 * /v2/models/stats. */
#pragma once

#include "server/jobs/job.h"

/* The reply is about the model that the request names, or about all. */
void statistics_route_answer(struct job *job, const struct api_route *route);
