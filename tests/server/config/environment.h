/* The variables of options, which a test must not inherit. */
#pragma once

#include <stdlib.h>

#include "server/config/options.h"

static inline void clear_environment(void)
{
    char variable[OPTION_VARIABLE_SIZE];

    for (const struct option *o = option_table; o->name; o++) {
        option_variable(o, variable);
        unsetenv(variable);
    }
}
