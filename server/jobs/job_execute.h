/* Executes a job: read the content coding, prepare, reserve, execute, write the
 * content coding. */
#pragma once

#include "server/jobs/job.h"

/* Makes the reply, which may be an error. Blocks for as long as the data moves;
 * a large job belongs to a worker. */
void job_execute(struct job *job);
