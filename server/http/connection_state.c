#include "server/http/connection_state.h"

void stage_queue_init(struct stage_queue *queue)
{
    TAILQ_INIT(&queue->entries);
    queue->next_look = NULL;
    queue->count = 0;
}

void stage_queue_add(struct stage_queue *queue, struct stage_entry *entry,
                     uint64_t now_ms)
{
    entry->since_ms = now_ms;
    queue->count++;
    TAILQ_INSERT_TAIL(&queue->entries, entry, link);
    if (!queue->next_look)
        queue->next_look = entry;
}

void stage_queue_remove(struct stage_queue *queue, struct stage_entry *entry)
{
    if (queue->next_look == entry)
        queue->next_look = TAILQ_NEXT(entry, link);
    TAILQ_REMOVE(&queue->entries, entry, link);
    queue->count--;
}

static bool is_of_age(const struct stage_entry *entry, uint64_t now_ms,
                      uint64_t age_ms)
{
    return entry && now_ms >= entry->since_ms + age_ms;
}

struct stage_entry *stage_queue_oldest(const struct stage_queue *queue,
                                       uint64_t now_ms, uint64_t age_ms)
{
    struct stage_entry *first = TAILQ_FIRST(&queue->entries);

    return is_of_age(first, now_ms, age_ms) ? first : NULL;
}

struct stage_entry *stage_queue_look(struct stage_queue *queue, uint64_t now_ms,
                                     uint64_t age_ms)
{
    struct stage_entry *entry = queue->next_look;

    if (!is_of_age(entry, now_ms, age_ms))
        return NULL;
    queue->next_look = TAILQ_NEXT(entry, link);
    return entry;
}
