/* GET /v2/models/{model}/stats and /v2/models/stats: the statistics extension.
 */
#pragma once

#include "server/jobs/job.h"

/* Answers about the model that the request names, or about all. Loop thread. */
void statistics_answer(struct job *job, const struct api_route *route);
