/* Memory for bodies and replies. A large buffer is mapped, and kept for a while
 * after use (kept_buffers.h): the next request uses it again. Small buffers
 * come from malloc(). Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "server/limits/kept_buffers.h"

/* Bytes; smaller buffers are malloc's. */
enum { BUFFER_POOL_MAPPED = KEPT_BUFFERS_LEAST };

struct buffer {
    unsigned char *data; /* owned; NULL when empty */
    size_t capacity;     /* bytes */
    size_t ahead;        /* bytes that may be resident and are not leased yet */
};

struct buffer_pool {
    struct budget *budget; /* borrowed; or NULL */
    struct kept_buffers kept;
};

/* Borrows the budget: kept_buffers_init(). */
void buffer_pool_init(struct buffer_pool *pool, size_t kept_limit,
                      struct budget *budget);

/* All buffers must have been put back. */
void buffer_pool_free(struct buffer_pool *pool);

/* Gives a buffer of at least `size` bytes (which may be 0) with any contents,
 * to be given back to buffer_pool_put(). False without memory; the buffer is
 * then empty. */
bool buffer_pool_get(struct buffer_pool *pool, size_t size,
                     struct buffer *buffer);

/* The same for a user who has leased `leased` bytes of `size` only, for the
 * others are to come: a kept buffer is resident as a whole, so the rest of it
 * counts in the budget until buffer_pool_catch_up(), and such bytes have the
 * limit of kept ones. */
bool buffer_pool_get_ahead(struct buffer_pool *pool, size_t size, size_t leased,
                           struct buffer *buffer);

/* To be called before the user leases more: `leased` bytes in all. */
void buffer_pool_catch_up(struct buffer_pool *pool, struct buffer *buffer,
                          size_t leased);

/* Keeps or frees the memory and makes the buffer empty; it may be empty
 * already. Bytes leased for it are given back before, for kept ones count
 * beside the leases. */
void buffer_pool_put(struct buffer_pool *pool, struct buffer *buffer);

/* Replaces the buffer by one of at least `size` bytes and copies its first
 * `used` bytes. False without memory; the buffer is then unchanged. */
bool buffer_pool_grow(struct buffer_pool *pool, struct buffer *buffer,
                      size_t used, size_t size);
