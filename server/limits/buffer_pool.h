/* Memory for bodies and answers, kept for the next request.
 *
 * Page faults cost more than moving the data, so large buffers are mapped,
 * rounded up to a size class (at most a quarter more, and what is not touched
 * is not resident) and kept for a while after use. How much is kept has a
 * bound. Small buffers are malloc's. Any thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BUFFER_POOL_MAPPED = 128 << 10, /* bytes; smaller ones are malloc's */
    /* Four classes from each power of two to the next, 128 KiB to 512 MiB. */
    BUFFER_POOL_CLASSES = 4 * 12 + 1,
};

struct buffer {
    unsigned char *data; /* owned; NULL when empty */
    size_t capacity;     /* bytes */
};

struct kept_buffer; /* lives in the first bytes of a kept buffer */

struct buffer_pool {
    size_t kept_limit;                             /* bytes */
    pthread_mutex_t lock;                          /* guards what follows */
    size_t kept;                                   /* bytes */
    struct kept_buffer *free[BUFFER_POOL_CLASSES]; /* owned; latest first */
};

void buffer_pool_init(struct buffer_pool *buffer_pool, size_t kept_limit);

/* All buffers have been put back. */
void buffer_pool_free(struct buffer_pool *buffer_pool);

/* Gives at least `size` bytes with unknown contents (for 0 bytes too). False
 * when there is no memory; the buffer is then empty. buffer_pool_put() frees.
 */
bool buffer_pool_get(struct buffer_pool *buffer_pool, size_t size,
                     struct buffer *buffer);

/* Takes the buffer back and empties it. An empty buffer may be put. `now_ms`
 * is any monotonic clock, the same as buffer_pool_trim()'s. */
void buffer_pool_put(struct buffer_pool *buffer_pool, struct buffer *buffer,
                     uint64_t now_ms);

/* Exchanges the buffer for one of at least `size` bytes that starts with the
 * same `used` ones. False when there is no memory; the buffer is then as it
 * was. */
bool buffer_pool_grow(struct buffer_pool *buffer_pool, struct buffer *buffer,
                      size_t used, size_t size, uint64_t now_ms);

/* Gives kept buffers that were put before `before_ms` back to the system. */
void buffer_pool_trim(struct buffer_pool *buffer_pool, uint64_t before_ms);
