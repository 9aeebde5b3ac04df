/* The whole service, from options to exit code. */
#pragma once

#include "server/config/options.h"

/* Serves until a signal ends it. Returns the exit code: 0 when everything that
 * was running has finished, 1 when it could not start or had to cut off. */
int server_run(const struct options *options);
