/* GET /metrics. */
#pragma once

#include "server/jobs/job.h"

/* Makes the reply the Prometheus text of the sum of all loops' counters. */
void metrics_route_answer(struct job *job);
