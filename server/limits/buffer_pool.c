#include "server/limits/buffer_pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* From this size, rounded sizes are multiples of 2 MiB and the kernel is asked
 * for huge pages: one fault instead of 512, and fewer TLB misses when the
 * socket copies. */
enum { HUGE = 8 << 20 };

static void *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    if (size >= HUGE)
        madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

void buffer_pool_init(struct buffer_pool *pool, size_t kept_limit,
                      struct budget *budget)
{
    pool->budget = budget;
    kept_buffers_init(&pool->kept, kept_limit, budget);
}

void buffer_pool_free(struct buffer_pool *pool)
{
    kept_buffers_free(&pool->kept);
}

static bool get(struct buffer_pool *pool, size_t size, bool may_be_kept,
                struct buffer *buffer)
{
    *buffer = (struct buffer){NULL, 0, 0};
    if (size < BUFFER_POOL_MAPPED) {
        size += size == 0;
        buffer->data = malloc(size);
    } else {
        size = kept_buffers_round_up(size);
        if (may_be_kept)
            buffer->data = kept_buffers_take(&pool->kept, size);
        buffer->ahead = buffer->data ? size : 0;
        if (!buffer->data)
            buffer->data = map(size);
    }
    if (buffer->data)
        buffer->capacity = size;
    return buffer->data != NULL;
}

bool buffer_pool_get(struct buffer_pool *pool, size_t size,
                     struct buffer *buffer)
{
    bool ok = get(pool, size, true, buffer);

    buffer->ahead = 0;
    return ok;
}

bool buffer_pool_get_ahead(struct buffer_pool *pool, size_t size, size_t leased,
                           struct buffer *buffer)
{
    size_t ahead = size > leased ? size - leased : 0;

    if (!pool->budget)
        return buffer_pool_get(pool, size, buffer);
    if (!get(pool, size,
             atomic_load(&pool->budget->ahead) + ahead <= pool->kept.limit,
             buffer))
        return false;
    budget_ahead(pool->budget, buffer->ahead);
    buffer_pool_catch_up(pool, buffer, leased);
    return true;
}

void buffer_pool_catch_up(struct buffer_pool *pool, struct buffer *buffer,
                          size_t leased)
{
    size_t left = buffer->capacity > leased ? buffer->capacity - leased : 0;

    if (buffer->ahead > left) {
        budget_catch_up(pool->budget, buffer->ahead - left);
        buffer->ahead = left;
    }
}

void buffer_pool_put(struct buffer_pool *pool, struct buffer *buffer)
{
    buffer_pool_catch_up(pool, buffer, buffer->capacity);
    if (buffer->capacity < BUFFER_POOL_MAPPED)
        free(buffer->data);
    else if (!kept_buffers_put(&pool->kept, buffer->data, buffer->capacity))
        munmap(buffer->data, buffer->capacity);
    *buffer = (struct buffer){NULL, 0, 0};
}

bool buffer_pool_grow(struct buffer_pool *pool, struct buffer *buffer,
                      size_t used, size_t size)
{
    struct buffer larger;

    if (!buffer_pool_get(pool, size, &larger))
        return false;
    if (used > 0)
        memcpy(larger.data, buffer->data, used);
    buffer_pool_put(pool, buffer);
    *buffer = larger;
    return true;
}
