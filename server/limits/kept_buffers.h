/* Mapped memory that nobody uses, kept for the next user: page faults cost more
 * than moving the data.
 *
 * Sizes are rounded up to classes (at most a quarter more; pages that are not
 * touched are not resident). The kept bytes are limited, and are a part of the
 * budget: they are freed when a lease needs them. Any thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/limits/budget.h"

enum {
    KEPT_BUFFERS_LEAST = 128 << 10, /* bytes, the smallest class */
    /* Four classes for each power of two, from 128 KiB to 512 MiB. */
    KEPT_BUFFERS_CLASSES = 4 * 12 + 1,
};

struct kept_buffer; /* stored in the first bytes of a kept buffer */

struct kept_buffers {
    size_t limit;          /* bytes */
    struct budget *budget; /* borrowed; counts kept bytes; or NULL */
    pthread_mutex_t lock;  /* guards the fields below */
    size_t bytes;
    uint64_t period;                                /* since the start */
    struct kept_buffer *free[KEPT_BUFFERS_CLASSES]; /* owned; latest first */
};

/* Borrows the budget, whose leases may free kept buffers from now on; NULL:
 * kept bytes are not counted. */
void kept_buffers_init(struct kept_buffers *kept, size_t limit,
                       struct budget *budget);

void kept_buffers_free(struct kept_buffers *kept);

/* The least size of a class that has room for `size` bytes; `size` itself above
 * the largest class: such memory is never kept. */
size_t kept_buffers_round_up(size_t size);

/* Memory of this rounded size, with any contents, which is the caller's now;
 * NULL if none is kept. */
void *kept_buffers_take(struct kept_buffers *kept, size_t size);

/* Keeps mapped memory of `size` bytes. False if that is the size of no class or
 * the limit is reached; the memory is then still the caller's. */
bool kept_buffers_put(struct kept_buffers *kept, void *memory, size_t size);

/* Ends a period, which is as long as the caller likes. Frees the memory that
 * has been kept for more than `periods` whole ones; with 0 all of it. */
void kept_buffers_trim(struct kept_buffers *kept, unsigned periods);
