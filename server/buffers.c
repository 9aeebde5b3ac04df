#include "server/buffers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* From here on classes are whole pages of 2 MiB, and those are asked for: one
 * fault instead of 512, and copies in and out of the socket look up fewer. */
enum { HUGE = 8 << 20 };

struct buffers_free {
    struct buffers_free *next;
    size_t capacity;
    uint64_t put_ms;
};

/* Rounds up to a class and returns its number, or BUFFERS_CLASSES for what is
 * larger than the largest and not kept. */
static int round_up(size_t *size)
{
    size_t octave = BUFFERS_MAPPED;

    for (int i = 0; i < BUFFERS_CLASSES; i++) {
        size_t class = octave + octave / 4 * (size_t)(i % 4);

        if (*size <= class) {
            *size = class;
            return i;
        }
        if (i % 4 == 3)
            octave *= 2;
    }
    return BUFFERS_CLASSES;
}

static struct buffers_free *take(struct buffers *buffers, int class)
{
    struct buffers_free *kept;

    pthread_mutex_lock(&buffers->lock);
    kept = buffers->free[class];
    if (kept) {
        buffers->free[class] = kept->next;
        buffers->kept -= kept->capacity;
    }
    pthread_mutex_unlock(&buffers->lock);
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

void buffers_init(struct buffers *buffers, size_t kept_limit)
{
    *buffers = (struct buffers){.kept_limit = kept_limit};
    pthread_mutex_init(&buffers->lock, NULL);
}

void buffers_free(struct buffers *buffers)
{
    buffers_trim(buffers, UINT64_MAX);
    pthread_mutex_destroy(&buffers->lock);
}

bool buffers_get(struct buffers *buffers, size_t size, struct buffer *buffer)
{
    int class;

    *buffer = (struct buffer){NULL, 0};
    if (size < BUFFERS_MAPPED) {
        size += size == 0;
        buffer->data = malloc(size);
    } else {
        class = round_up(&size);
        if (class < BUFFERS_CLASSES)
            buffer->data = (unsigned char *)take(buffers, class);
        if (!buffer->data)
            buffer->data = map(size);
    }
    if (buffer->data)
        buffer->capacity = size;
    return buffer->data != NULL;
}

/* False when the bound is reached. */
static bool keep(struct buffers *buffers, const struct buffer *buffer,
                 uint64_t now_ms)
{
    struct buffers_free *kept = (struct buffers_free *)(void *)buffer->data;
    size_t size = buffer->capacity;
    int class = round_up(&size);
    bool fits;

    if (class == BUFFERS_CLASSES || size != buffer->capacity)
        return false;
    pthread_mutex_lock(&buffers->lock);
    fits = size <= buffers->kept_limit - buffers->kept;
    if (fits) {
        *kept = (struct buffers_free){buffers->free[class], size, now_ms};
        buffers->free[class] = kept;
        buffers->kept += size;
    }
    pthread_mutex_unlock(&buffers->lock);
    return fits;
}

void buffers_put(struct buffers *buffers, struct buffer *buffer,
                 uint64_t now_ms)
{
    if (buffer->capacity < BUFFERS_MAPPED)
        free(buffer->data);
    else if (!keep(buffers, buffer, now_ms))
        munmap(buffer->data, buffer->capacity);
    *buffer = (struct buffer){NULL, 0};
}

/* Cuts off what was put before `before_ms`: the tail, for the latest is first.
 * The lock is held. */
static struct buffers_free *cut(struct buffers *buffers, int class,
                                uint64_t before_ms)
{
    struct buffers_free **link = &buffers->free[class];
    struct buffers_free *old;

    while (*link && (*link)->put_ms >= before_ms)
        link = &(*link)->next;
    old = *link;
    *link = NULL;
    for (struct buffers_free *each = old; each; each = each->next)
        buffers->kept -= each->capacity;
    return old;
}

void buffers_trim(struct buffers *buffers, uint64_t before_ms)
{
    for (int class = 0; class < BUFFERS_CLASSES; class ++) {
        struct buffers_free *old, *next;

        pthread_mutex_lock(&buffers->lock);
        old = cut(buffers, class, before_ms);
        pthread_mutex_unlock(&buffers->lock);
        for (; old; old = next) {
            next = old->next;
            munmap(old, old->capacity);
        }
    }
}

bool buffers_grow(struct buffers *buffers, struct buffer *buffer, size_t used,
                  size_t size, uint64_t now_ms)
{
    struct buffer larger;

    if (!buffers_get(buffers, size, &larger))
        return false;
    if (used > 0)
        memcpy(larger.data, buffer->data, used);
    buffers_put(buffers, buffer, now_ms);
    *buffer = larger;
    return true;
}
