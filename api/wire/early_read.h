/* Validates a document's large data array while it arrives, and indexes its
 * commas, so that prepare and execute need not scan those bytes again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/infer/request.h"

struct early_read {
    struct infer_validated validated; /* so far; points to `commas` */
    struct comma_index commas;
    struct number_range range; /* of the array's numbers */
    size_t prescanned;         /* bytes of all searches for the array */
    size_t next_search; /* length of the body that is worth another one */
    bool done;          /* nothing more can be validated */
};

/* Continues in the first `len` bytes of a document, which may still grow. To be
 * called each time more has come, while the bytes are in the processor's
 * caches. Finds no faults: those are left to prepare. */
void early_read_continue(struct early_read *early, const unsigned char *body,
                         size_t len);

/* Bytes of memory for the index of a document of `len` bytes. */
size_t early_read_capacity(size_t len);

/* True if the index can still grow: more memory for it is of use. */
bool early_read_wants_memory(const struct early_read *early);

/* Gives memory for the index, aligned to 8 bytes, borrowed as long as `early`
 * and a request that uses it. More of it may be given later, at the same
 * address. Without more, the index stays as it is. */
void early_read_lend(struct early_read *early, unsigned char *memory,
                     size_t capacity);
