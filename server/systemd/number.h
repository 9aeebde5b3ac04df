/* Numbers in the variables of a service manager. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernels/core/status.h"

/* Reads the value of a variable, digits alone. Fails with INVALID, which names
 * the variable, the value and the limits. */
static inline bool number_read(const char *variable, const char *text,
                               uint64_t least, uint64_t most, uint64_t *value,
                               struct status *st)
{
    char *end = NULL;
    bool is_number = *text >= '0' && *text <= '9';

    *value = is_number ? strtoull(text, &end, 10) : 0;
    if (is_number && !*end && *value >= least && *value <= most)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "%s is \"%.100s\", but must be a whole number in "
                       "%llu..%llu",
                       variable, text, (unsigned long long)least,
                       (unsigned long long)most);
}
