/* GET /metrics: what the loops and the admin port have counted, together. */
#pragma once

#include "server/jobs/job.h"

/* Makes the reply the Prometheus text of the whole service. */
void scrape_answer(struct job *job);
