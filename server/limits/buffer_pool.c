#include "server/limits/buffer_pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* From this size, classes are multiples of 2 MiB and the kernel is asked for
 * huge pages: one fault instead of 512, and fewer TLB misses when the socket
 * copies. */
enum { HUGE = 8 << 20 };

struct kept_buffer {
    struct kept_buffer *next;
    size_t capacity;
    uint64_t period; /* in which it was put */
};

/* Rounds up to a class and returns its index; BUFFER_POOL_CLASSES for a size
 * above the largest class, which is not rounded and never kept. */
static int round_up(size_t *size)
{
    size_t octave = BUFFER_POOL_MAPPED;

    for (int i = 0; i < BUFFER_POOL_CLASSES; i++) {
        size_t class = octave + octave / 4 * (size_t)(i % 4);

        if (*size <= class) {
            *size = class;
            return i;
        }
        if (i % 4 == 3)
            octave *= 2;
    }
    return BUFFER_POOL_CLASSES;
}

/* Counts a buffer that is to be kept; false if there is no space for it. The
 * lock is held, as for uncount(). */
static bool count(struct buffer_pool *pool, size_t size)
{
    if (size > pool->kept_limit - pool->kept ||
        (pool->budget && !budget_keep(pool->budget, size)))
        return false;
    pool->kept += size;
    return true;
}

static void uncount(struct buffer_pool *pool, size_t size)
{
    pool->kept -= size;
    if (pool->budget)
        budget_unkeep(pool->budget, size);
}

/* Removes a kept buffer of the class; NULL if there is none. */
static struct kept_buffer *pop(struct buffer_pool *pool, int class)
{
    struct kept_buffer *kept;

    pthread_mutex_lock(&pool->lock);
    kept = pool->free[class];
    if (kept) {
        pool->free[class] = kept->next;
        uncount(pool, kept->capacity);
    }
    pthread_mutex_unlock(&pool->lock);
    return kept;
}

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

/* The largest first: few calls free much. */
static void reclaim(void *context, size_t bytes)
{
    struct buffer_pool *pool = context;
    int class = BUFFER_POOL_CLASSES - 1;
    size_t freed = 0;

    while (class >= 0 && freed < bytes) {
        struct kept_buffer *kept = pop(pool, class);

        if (kept) {
            freed += kept->capacity;
            munmap(kept, kept->capacity);
        } else {
            class --;
        }
    }
}

void buffer_pool_init(struct buffer_pool *pool, size_t kept_limit,
                      struct budget *budget)
{
    *pool = (struct buffer_pool){.kept_limit = kept_limit, .budget = budget};
    pthread_mutex_init(&pool->lock, NULL);
    if (budget)
        budget_set_reclaim(budget, reclaim, pool);
}

void buffer_pool_free(struct buffer_pool *pool)
{
    buffer_pool_trim(pool, 0);
    pthread_mutex_destroy(&pool->lock);
}

static bool get(struct buffer_pool *pool, size_t size, bool may_be_kept,
                struct buffer *buffer)
{
    int class;

    *buffer = (struct buffer){NULL, 0, 0};
    if (size < BUFFER_POOL_MAPPED) {
        size += size == 0;
        buffer->data = malloc(size);
    } else {
        class = round_up(&size);
        if (class < BUFFER_POOL_CLASSES && may_be_kept)
            buffer->data = (unsigned char *)pop(pool, class);
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
             atomic_load(&pool->budget->ahead) + ahead <= pool->kept_limit,
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

/* False if the size has no class or the limit of kept bytes is reached. */
static bool keep(struct buffer_pool *pool, const struct buffer *buffer)
{
    struct kept_buffer *kept = (struct kept_buffer *)(void *)buffer->data;
    size_t size = buffer->capacity;
    int class = round_up(&size);
    bool fits;

    if (class == BUFFER_POOL_CLASSES || size != buffer->capacity)
        return false;
    pthread_mutex_lock(&pool->lock);
    fits = count(pool, size);
    if (fits) {
        *kept = (struct kept_buffer){pool->free[class], size, pool->period};
        pool->free[class] = kept;
    }
    pthread_mutex_unlock(&pool->lock);
    return fits;
}

void buffer_pool_put(struct buffer_pool *pool, struct buffer *buffer)
{
    buffer_pool_catch_up(pool, buffer, buffer->capacity);
    if (buffer->capacity < BUFFER_POOL_MAPPED)
        free(buffer->data);
    else if (!keep(pool, buffer))
        munmap(buffer->data, buffer->capacity);
    *buffer = (struct buffer){NULL, 0, 0};
}

/* Unlinks the buffers that were put before `period`: the end of the list,
 * for the latest is first. The lock is held. */
static struct kept_buffer *unlink_old(struct buffer_pool *pool, int class,
                                      uint64_t period)
{
    struct kept_buffer **link = &pool->free[class];
    struct kept_buffer *old;

    while (*link && (*link)->period >= period)
        link = &(*link)->next;
    old = *link;
    *link = NULL;
    for (struct kept_buffer *each = old; each; each = each->next)
        uncount(pool, each->capacity);
    return old;
}

void buffer_pool_trim(struct buffer_pool *pool, unsigned periods)
{
    uint64_t now;

    pthread_mutex_lock(&pool->lock);
    now = ++pool->period;
    pthread_mutex_unlock(&pool->lock);
    for (int class = 0; class < BUFFER_POOL_CLASSES; class ++) {
        struct kept_buffer *old, *next;

        pthread_mutex_lock(&pool->lock);
        old = unlink_old(pool, class, now > periods ? now - periods : 0);
        pthread_mutex_unlock(&pool->lock);
        for (; old; old = next) {
            next = old->next;
            munmap(old, old->capacity);
        }
    }
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
