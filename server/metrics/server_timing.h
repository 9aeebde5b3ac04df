/* The value of the reply header Server-Timing: the stages of a request, in
 * milliseconds. It is read by browsers' developer tools and by the page. */
#pragma once

#include "server/metrics/metrics.h"

enum { SERVER_TIMING_SIZE = 160 };

/* Writes the stages whose end the request has reached, each with its name of
 * model_stage_names[]: "queue;dur=0.012, read;dur=3.456". Without any, the text
 * is empty. */
void server_timing_print(const struct model_times *times,
                         char text[SERVER_TIMING_SIZE]);
