/* The connections of a loop that are in one stage, oldest first.
 *
 * The limit of a stage is the same for all its connections, so the first entry
 * is the first to reach it: a tick looks at heads only, and a connection that
 * waits costs nothing. Pure; the clock is handed in. Loop thread only. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct stage_entry {
    TAILQ_ENTRY(stage_entry) link;
    uint64_t since_ms; /* when it was added */
};

struct stage_queue {
    TAILQ_HEAD(stage_entries, stage_entry) entries; /* borrowed */
    struct stage_entry *next_look; /* the first that was not looked at */
    size_t count;
};

void stage_queue_init(struct stage_queue *queue);

/* Adds an entry that is in no queue. `now_ms` never decreases. */
void stage_queue_add(struct stage_queue *queue, struct stage_entry *entry,
                     uint64_t now_ms);

void stage_queue_remove(struct stage_queue *queue, struct stage_entry *entry);

/* The first entry if it was added `age_ms` ago or earlier; else NULL. */
struct stage_entry *stage_queue_oldest(const struct stage_queue *queue,
                                       uint64_t now_ms, uint64_t age_ms);

/* Gives each entry once, when it was added `age_ms` ago or earlier; NULL when
 * none is left. */
struct stage_entry *stage_queue_look(struct stage_queue *queue, uint64_t now_ms,
                                     uint64_t age_ms);
