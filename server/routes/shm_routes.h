/* The shared memory extensions: register, unregister and list regions. */
#pragma once

#include "server/jobs/job.h"

/* /v2/systemsharedmemory/... */
void shm_routes_answer(struct job *job, const struct api_route *route);

/* /v2/cudasharedmemory/...: flipd has none. To unregister is not an error,
 * because clients unregister all regions before they start; to register is. */
void shm_routes_answer_cuda(struct job *job, const struct api_route *route);
