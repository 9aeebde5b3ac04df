#include "server/limits/kept_buffers.h"

#include <sys/mman.h>

struct kept_buffer {
    struct kept_buffer *next;
    size_t size;
    uint64_t period; /* in which it was put */
};

/* The class of the least size that is not below `*size`, which it becomes;
 * KEPT_BUFFERS_CLASSES above the largest class. */
static int find_class(size_t *size)
{
    size_t octave = KEPT_BUFFERS_LEAST;

    for (int i = 0; i < KEPT_BUFFERS_CLASSES; i++) {
        size_t class = octave + octave / 4 * (size_t)(i % 4);

        if (*size <= class) {
            *size = class;
            return i;
        }
        if (i % 4 == 3)
            octave *= 2;
    }
    return KEPT_BUFFERS_CLASSES;
}

size_t kept_buffers_round_up(size_t size)
{
    find_class(&size);
    return size;
}

/* Counts a buffer that is to be kept; false if there is no space for it. The
 * lock is held, as for uncount(). */
static bool count(struct kept_buffers *kept, size_t size)
{
    if (size > kept->limit - kept->bytes ||
        (kept->budget && !budget_keep(kept->budget, size)))
        return false;
    kept->bytes += size;
    return true;
}

static void uncount(struct kept_buffers *kept, size_t size)
{
    kept->bytes -= size;
    if (kept->budget)
        budget_unkeep(kept->budget, size);
}

/* Removes a buffer of the class; NULL if there is none. */
static struct kept_buffer *pop(struct kept_buffers *kept, int class)
{
    struct kept_buffer *first;

    pthread_mutex_lock(&kept->lock);
    first = kept->free[class];
    if (first) {
        kept->free[class] = first->next;
        uncount(kept, first->size);
    }
    pthread_mutex_unlock(&kept->lock);
    return first;
}

/* The largest first: few calls free much. */
static void reclaim(void *context, size_t bytes)
{
    struct kept_buffers *kept = context;
    int class = KEPT_BUFFERS_CLASSES - 1;
    size_t freed = 0;

    while (class >= 0 && freed < bytes) {
        struct kept_buffer *first = pop(kept, class);

        if (first) {
            freed += first->size;
            munmap(first, first->size);
        } else {
            class --;
        }
    }
}

void kept_buffers_init(struct kept_buffers *kept, size_t limit,
                       struct budget *budget)
{
    *kept = (struct kept_buffers){.limit = limit, .budget = budget};
    pthread_mutex_init(&kept->lock, NULL);
    if (budget)
        budget_set_reclaim(budget, reclaim, kept);
}

void kept_buffers_free(struct kept_buffers *kept)
{
    kept_buffers_trim(kept, 0);
    pthread_mutex_destroy(&kept->lock);
}

void *kept_buffers_take(struct kept_buffers *kept, size_t size)
{
    int class = find_class(&size);

    return class < KEPT_BUFFERS_CLASSES ? pop(kept, class) : NULL;
}

bool kept_buffers_put(struct kept_buffers *kept, void *memory, size_t size)
{
    struct kept_buffer *first = memory;
    size_t rounded = size;
    int class = find_class(&rounded);
    bool fits;

    if (class == KEPT_BUFFERS_CLASSES || rounded != size)
        return false;
    pthread_mutex_lock(&kept->lock);
    fits = count(kept, size);
    if (fits) {
        *first = (struct kept_buffer){kept->free[class], size, kept->period};
        kept->free[class] = first;
    }
    pthread_mutex_unlock(&kept->lock);
    return fits;
}

/* Unlinks the buffers that were put before `period`: the end of the list,
 * for the latest is first. The lock is held. */
static struct kept_buffer *unlink_old(struct kept_buffers *kept, int class,
                                      uint64_t period)
{
    struct kept_buffer **link = &kept->free[class];
    struct kept_buffer *old;

    while (*link && (*link)->period >= period)
        link = &(*link)->next;
    old = *link;
    *link = NULL;
    for (struct kept_buffer *each = old; each; each = each->next)
        uncount(kept, each->size);
    return old;
}

void kept_buffers_trim(struct kept_buffers *kept, unsigned periods)
{
    uint64_t now;

    pthread_mutex_lock(&kept->lock);
    now = ++kept->period;
    pthread_mutex_unlock(&kept->lock);
    for (int class = 0; class < KEPT_BUFFERS_CLASSES; class ++) {
        struct kept_buffer *old, *next;

        pthread_mutex_lock(&kept->lock);
        old = unlink_old(kept, class, now > periods ? now - periods : 0);
        pthread_mutex_unlock(&kept->lock);
        for (; old; old = next) {
            next = old->next;
            munmap(old, old->size);
        }
    }
}
