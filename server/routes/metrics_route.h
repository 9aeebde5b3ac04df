/* GET /metrics: all metrics in Prometheus' text format, version 0.0.4. */
#pragma once

#include "server/work/job.h"

void metrics_route_answer(struct job *job, const struct api_route *route);

/* The commit that the program was built from: 40 hex digits, with "-dirty" if
 * tracked files differed from it; "unknown" outside of a git repository. Made
 * by cmake/revision.cmake. */
extern const char revision_text[];
