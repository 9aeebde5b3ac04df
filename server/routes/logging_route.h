/* GET and POST /v2/logging: the settings of the log. */
#pragma once

#include "server/jobs/job.h"

/* Changes the settings that the body names; the reply is all settings. */
void logging_route_answer(struct job *job);
