/* The routes of shared memory: registered, told of, unregistered. */
#pragma once

#include "server/jobs/job.h"

/* /v2/systemsharedmemory/... Loop thread. */
void shm_answer(struct job *job, const struct api_route *route);

/* /v2/cudasharedmemory/...: there is none, and clients that clean up before
 * they start are told so in a way that they understand. */
void shm_answer_cuda(struct job *job, const struct api_route *route);
