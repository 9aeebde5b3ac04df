/* Sets one option from a text. */
#pragma once

#include <stdbool.h>

#include "kernels/core/status.h"
#include "server/config/option.h"
#include "server/config/options.h"

/* A value and its source, which error messages name. */
struct option_given {
    const char *source; /* "--http-port" or "FLIPD_HTTP_PORT" */
    const char *value;  /* for an action, which takes none, NULL */
};

/* Bytes of a value or an argument in an error: a longer one is shortened. */
enum { OPTION_SHOWN_SIZE = 104 };

/* `options` borrows the value. Fails with INVALID, whose text names the source,
 * the value and the values that are accepted. */
bool option_set(struct options *options, const struct option *option,
                const struct option_given *given, struct status *st);

/* The same with the default; nothing is set where there is none. */
bool option_set_default(struct options *options, const struct option *option,
                        struct status *st);
