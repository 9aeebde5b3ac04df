#include "server/limits/buffer_pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/core/require.h"

/* From this size, rounded sizes are multiples of 2 MiB and the kernel is asked
 * for huge pages: one fault instead of 512, and fewer TLB misses when the
 * socket copies. */
enum { HUGE = 8 << 20 };

struct kept_buffer {
    struct kept_buffer *next;
    size_t size;
    uint64_t period; /* in which it was put */
};

/* The class of the least size that is not below `*size`, which it becomes;
 * BUFFER_POOL_CLASSES above the largest class. */
static int find_class(size_t *size)
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

/* The lock is held. */
static void uncount(struct buffer_pool *pool, size_t size)
{
    REQUIRE_WITH(size <= pool->kept_bytes, "%zu of %zu", size,
                 pool->kept_bytes);
    pool->kept_bytes -= size;
    if (pool->budget)
        budget_unkeep(pool->budget, size);
}

/* Removes a buffer of the class; NULL if there is none. */
static struct kept_buffer *pop(struct buffer_pool *pool, int class)
{
    struct kept_buffer *first;

    pthread_mutex_lock(&pool->lock);
    first = pool->kept[class];
    if (first) {
        pool->kept[class] = first->next;
        uncount(pool, first->size);
    }
    pthread_mutex_unlock(&pool->lock);
    return first;
}

/* The largest first: few calls free much. */
static void reclaim(void *context, size_t bytes)
{
    struct buffer_pool *pool = context;
    int class = BUFFER_POOL_CLASSES - 1;
    size_t freed = 0;

    while (class >= 0 && freed < bytes) {
        struct kept_buffer *first = pop(pool, class);

        if (first) {
            freed += first->size;
            munmap(first, first->size);
        } else {
            class --;
        }
    }
}

/* Keeps mapped memory of `size` bytes. False if that is the size of no class or
 * the limit is reached. */
static bool keep(struct buffer_pool *pool, void *memory, size_t size)
{
    struct kept_buffer *first = memory;
    size_t rounded = size;
    int class = find_class(&rounded);
    bool fits;

    if (class == BUFFER_POOL_CLASSES || rounded != size)
        return false;
    pthread_mutex_lock(&pool->lock);
    fits = size <= pool->kept_limit - pool->kept_bytes &&
           (!pool->budget || budget_keep(pool->budget, size));
    if (fits) {
        pool->kept_bytes += size;
        *first = (struct kept_buffer){pool->kept[class], size, pool->period};
        pool->kept[class] = first;
    }
    pthread_mutex_unlock(&pool->lock);
    return fits;
}

/* The buffers that were put before `oldest` are the end of a list, for the
 * latest is first. */
void buffer_pool_trim(struct buffer_pool *pool, unsigned periods)
{
    uint64_t now, oldest;

    pthread_mutex_lock(&pool->lock);
    now = ++pool->period;
    pthread_mutex_unlock(&pool->lock);
    oldest = now > periods ? now - periods : 0;
    for (int class = 0; class < BUFFER_POOL_CLASSES; class ++) {
        struct kept_buffer **link = &pool->kept[class], *old, *next;

        pthread_mutex_lock(&pool->lock);
        while (*link && (*link)->period >= oldest)
            link = &(*link)->next;
        old = *link;
        *link = NULL;
        for (struct kept_buffer *each = old; each; each = each->next)
            uncount(pool, each->size);
        pthread_mutex_unlock(&pool->lock);
        for (; old; old = next) {
            next = old->next;
            munmap(old, old->size);
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
    REQUIRE(pool->kept_bytes == 0);
    pthread_mutex_destroy(&pool->lock);
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

/* Takes a kept buffer, for which `later` bytes are not leased yet. */
static void take_kept(struct buffer_pool *pool, int class, size_t size,
                      size_t later, struct buffer *buffer)
{
    struct budget *budget = pool->budget;

    if (class == BUFFER_POOL_CLASSES ||
        (budget && atomic_load(&budget->unleased) + later > pool->kept_limit))
        return;
    buffer->data = (unsigned char *)pop(pool, class);
    if (!buffer->data || !budget)
        return;
    buffer->unleased = size;
    budget_add_unleased(budget, size);
}

bool buffer_pool_get(struct buffer_pool *pool, size_t size,
                     struct buffer *buffer)
{
    return buffer_pool_get_leasing(pool, size, SIZE_MAX, buffer);
}

bool buffer_pool_get_leasing(struct buffer_pool *pool, size_t size,
                             size_t leased, struct buffer *buffer)
{
    size_t later = size > leased ? size - leased : 0;

    *buffer = (struct buffer){NULL, 0, 0};
    if (size < BUFFER_POOL_MAPPED) {
        size += size == 0;
        buffer->data = malloc(size);
    } else {
        int class = find_class(&size);

        take_kept(pool, class, size, later, buffer);
        if (!buffer->data)
            buffer->data = map(size);
    }
    if (!buffer->data)
        return false;
    buffer->capacity = size;
    buffer_pool_lease_more(pool, buffer, leased);
    return true;
}

void buffer_pool_lease_more(struct buffer_pool *pool, struct buffer *buffer,
                            size_t leased)
{
    size_t left = buffer->capacity > leased ? buffer->capacity - leased : 0;

    if (buffer->unleased > left) {
        budget_drop_unleased(pool->budget, buffer->unleased - left);
        buffer->unleased = left;
    }
}

void buffer_pool_put(struct buffer_pool *pool, struct buffer *buffer)
{
    buffer_pool_lease_more(pool, buffer, buffer->capacity);
    REQUIRE(buffer->data || buffer->capacity == 0);
    if (buffer->capacity < BUFFER_POOL_MAPPED)
        free(buffer->data);
    else if (!keep(pool, buffer->data, buffer->capacity))
        munmap(buffer->data, buffer->capacity);
    *buffer = (struct buffer){NULL, 0, 0};
}

bool buffer_pool_grow(struct buffer_pool *pool, struct buffer *buffer,
                      size_t used, size_t size)
{
    struct buffer larger;

    REQUIRE_WITH(used <= buffer->capacity && used <= size, "%zu of %zu to %zu",
                 used, buffer->capacity, size);
    if (!buffer_pool_get(pool, size, &larger))
        return false;
    if (used > 0)
        memcpy(larger.data, buffer->data, used);
    buffer_pool_put(pool, buffer);
    *buffer = larger;
    return true;
}
