/* A small inference request for tests of jobs. */
#pragma once

#include "server/work/job.h"

/* Gives the job a request that arrives now and reverses [1, 2]. `more` is added
 * to the members of its JSON object. The request is valid until the next
 * call. */
void job_case_set_request(struct job *job, const char *more);
