/* Reads the options from the command line and the environment. */
#pragma once

#include <stdbool.h>

#include "kernels/core/status.h"
#include "server/config/options.h"

/* The text of an INVALID names the option (or its variable), the value and the
 * values that are accepted. `options` borrows texts from argv and from the
 * environment. */
bool options_load(struct options *options, int argc, char *const argv[],
                  struct status *st);
