#include "server/limits/buffer_pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* From here on classes are whole pages of 2 MiB, and those are asked for: one
 * fault instead of 512, and copies in and out of the socket look up fewer. */
enum { HUGE = 8 << 20 };

struct kept_buffer {
    struct kept_buffer *next;
    size_t capacity;
    uint64_t put_ms;
};

/* Rounds up to a class and returns its number, or BUFFER_POOL_CLASSES for what
 * is larger than the largest and not kept. */
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

static struct kept_buffer *take(struct buffer_pool *buffer_pool, int class)
{
    struct kept_buffer *kept;

    pthread_mutex_lock(&buffer_pool->lock);
    kept = buffer_pool->free[class];
    if (kept) {
        buffer_pool->free[class] = kept->next;
        buffer_pool->kept -= kept->capacity;
    }
    pthread_mutex_unlock(&buffer_pool->lock);
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

void buffer_pool_init(struct buffer_pool *buffer_pool, size_t kept_limit)
{
    *buffer_pool = (struct buffer_pool){.kept_limit = kept_limit};
    pthread_mutex_init(&buffer_pool->lock, NULL);
}

void buffer_pool_free(struct buffer_pool *buffer_pool)
{
    buffer_pool_trim(buffer_pool, UINT64_MAX);
    pthread_mutex_destroy(&buffer_pool->lock);
}

bool buffer_pool_get(struct buffer_pool *buffer_pool, size_t size,
                     struct buffer *buffer)
{
    int class;

    *buffer = (struct buffer){NULL, 0};
    if (size < BUFFER_POOL_MAPPED) {
        size += size == 0;
        buffer->data = malloc(size);
    } else {
        class = round_up(&size);
        if (class < BUFFER_POOL_CLASSES)
            buffer->data = (unsigned char *)take(buffer_pool, class);
        if (!buffer->data)
            buffer->data = map(size);
    }
    if (buffer->data)
        buffer->capacity = size;
    return buffer->data != NULL;
}

/* False when the bound is reached. */
static bool keep(struct buffer_pool *buffer_pool, const struct buffer *buffer,
                 uint64_t now_ms)
{
    struct kept_buffer *kept = (struct kept_buffer *)(void *)buffer->data;
    size_t size = buffer->capacity;
    int class = round_up(&size);
    bool fits;

    if (class == BUFFER_POOL_CLASSES || size != buffer->capacity)
        return false;
    pthread_mutex_lock(&buffer_pool->lock);
    fits = size <= buffer_pool->kept_limit - buffer_pool->kept;
    if (fits) {
        *kept = (struct kept_buffer){buffer_pool->free[class], size, now_ms};
        buffer_pool->free[class] = kept;
        buffer_pool->kept += size;
    }
    pthread_mutex_unlock(&buffer_pool->lock);
    return fits;
}

void buffer_pool_put(struct buffer_pool *buffer_pool, struct buffer *buffer,
                     uint64_t now_ms)
{
    if (buffer->capacity < BUFFER_POOL_MAPPED)
        free(buffer->data);
    else if (!keep(buffer_pool, buffer, now_ms))
        munmap(buffer->data, buffer->capacity);
    *buffer = (struct buffer){NULL, 0};
}

/* Cuts off what was put before `before_ms`: the tail, for the latest is first.
 * The lock is held. */
static struct kept_buffer *cut(struct buffer_pool *buffer_pool, int class,
                               uint64_t before_ms)
{
    struct kept_buffer **link = &buffer_pool->free[class];
    struct kept_buffer *old;

    while (*link && (*link)->put_ms >= before_ms)
        link = &(*link)->next;
    old = *link;
    *link = NULL;
    for (struct kept_buffer *each = old; each; each = each->next)
        buffer_pool->kept -= each->capacity;
    return old;
}

void buffer_pool_trim(struct buffer_pool *buffer_pool, uint64_t before_ms)
{
    for (int class = 0; class < BUFFER_POOL_CLASSES; class ++) {
        struct kept_buffer *old, *next;

        pthread_mutex_lock(&buffer_pool->lock);
        old = cut(buffer_pool, class, before_ms);
        pthread_mutex_unlock(&buffer_pool->lock);
        for (; old; old = next) {
            next = old->next;
            munmap(old, old->capacity);
        }
    }
}

bool buffer_pool_grow(struct buffer_pool *buffer_pool, struct buffer *buffer,
                      size_t used, size_t size, uint64_t now_ms)
{
    struct buffer larger;

    if (!buffer_pool_get(buffer_pool, size, &larger))
        return false;
    if (used > 0)
        memcpy(larger.data, buffer->data, used);
    buffer_pool_put(buffer_pool, buffer, now_ms);
    *buffer = larger;
    return true;
}
