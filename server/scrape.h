/* GET /metrics: the one route that the server answers itself. */
#pragma once

#include "server/answer.h"

/* Makes the reply the Prometheus text of the whole service. */
void scrape_answer(struct answer *answer);
