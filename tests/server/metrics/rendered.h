/* The text of /metrics, for tests to search. */
#pragma once

#include "server/metrics/metrics_text.h"

/* Of the sum of `parts`, or of one of them. The caller frees. */
char *rendered(struct metrics *const parts[], int count,
               const struct metrics_gauges *gauges);
char *rendered_one(struct metrics *metrics);

/* Aborts the test if the text does not contain `line`. */
void rendered_has(const char *text, const char *line);
