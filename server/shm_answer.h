/* The routes of shared memory: registered, told of, unregistered. */
#pragma once

#include "server/answer.h"

/* /v2/systemsharedmemory/... Loop thread. */
void shm_answer(struct answer *answer, const struct api_route *route);

/* /v2/cudasharedmemory/...: there is none, and clients that clean up before
 * they start are told so in a way that they understand. */
void shm_answer_cuda(struct answer *answer, const struct api_route *route);
