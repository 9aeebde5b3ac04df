/* Validates a document's large data array while it arrives, and indexes its
 * commas, so that prepare and execute need not scan those bytes again.
 * api.h declares the functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/infer/infer.h"

struct early_read {
    struct infer_validated validated; /* so far; points to `commas` */
    struct comma_index commas;
    struct number_range range; /* of the array's numbers */
    size_t searched;           /* bytes of all searches for the array */
    size_t next_search; /* length of the body that is worth another one */
    bool done;          /* nothing more can be validated */
};
