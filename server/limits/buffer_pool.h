/* Memory for bodies and replies. Small buffers come from malloc(). A large one
 * is mapped, and kept for a while after use, since page faults cost more than
 * moving the data: the next request uses it again.
 *
 * Sizes of mapped memory are rounded up to classes (at most a quarter more;
 * pages that are not touched are not resident). The kept bytes are limited, and
 * are a part of the budget: they are freed when a lease needs them. Any
 * thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/limits/budget.h"

enum {
    /* Bytes, the smallest class; smaller buffers are malloc's. */
    BUFFER_POOL_MAPPED = 128 << 10,
    /* Four classes for each power of two, from 128 KiB to 512 MiB. */
    BUFFER_POOL_CLASSES = 4 * 12 + 1,
};

struct buffer {
    unsigned char *data; /* owned; NULL when empty */
    size_t capacity;     /* bytes */
    size_t unleased;     /* bytes that may be resident and are not leased yet */
};

struct kept_buffer; /* stored in the first bytes of kept memory */

struct buffer_pool {
    struct budget *budget; /* borrowed; counts kept bytes; or NULL */
    size_t kept_limit;     /* bytes */
    pthread_mutex_t lock;  /* guards the fields below */
    size_t kept_bytes;
    uint64_t period;                               /* since the start */
    struct kept_buffer *kept[BUFFER_POOL_CLASSES]; /* owned; latest first */
};

/* Borrows the budget, whose leases may free kept memory from now on; NULL: kept
 * bytes are not counted. */
void buffer_pool_init(struct buffer_pool *pool, size_t kept_limit,
                      struct budget *budget);

/* All buffers must have been put back. */
void buffer_pool_free(struct buffer_pool *pool);

/* Gives a buffer of at least `size` bytes (which may be 0) with any contents,
 * to be given back to buffer_pool_put(). False without memory; the buffer is
 * then empty. */
bool buffer_pool_get(struct buffer_pool *pool, size_t size,
                     struct buffer *buffer);

/* The same for a user with a lease of `leased` bytes of `size` only, as the
 * others have not arrived: a kept buffer is wholly resident, so the rest of it
 * counts in the budget until buffer_pool_lease_more(), within the limit of kept
 * bytes. */
bool buffer_pool_get_leasing(struct buffer_pool *pool, size_t size,
                             size_t leased, struct buffer *buffer);

/* To be called before the user leases more: `leased` bytes in all. */
void buffer_pool_lease_more(struct buffer_pool *pool, struct buffer *buffer,
                            size_t leased);

/* Keeps or frees the memory and makes the buffer empty; it may be empty
 * already. Bytes leased for it are given back before, for kept ones count
 * beside the leases. */
void buffer_pool_put(struct buffer_pool *pool, struct buffer *buffer);

/* Replaces the buffer by one of at least `size` bytes and copies its first
 * `used` bytes. False without memory; the buffer is then unchanged. */
bool buffer_pool_grow(struct buffer_pool *pool, struct buffer *buffer,
                      size_t used, size_t size);

/* Ends a period, which is as long as the caller likes. Frees the memory that
 * has been kept for more than `periods` whole ones; with 0 all of it. */
void buffer_pool_trim(struct buffer_pool *pool, unsigned periods);
