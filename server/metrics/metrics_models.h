/* The metrics of each model: counters under the names that Triton's dashboards
 * use, and one histogram for each stage. */
#pragma once

#include <stdio.h>

#include "server/metrics/metrics.h"

void metrics_models_print(FILE *out, const struct metrics *total,
                          const struct model_set *models);
