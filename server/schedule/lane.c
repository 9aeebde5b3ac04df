#include "server/schedule/lane.h"

void lane_init(struct lane *lane)
{
    *lane = (struct lane){.count = 0};
    TAILQ_INIT(&lane->order);
    TAILQ_INIT(&lane->ages);
    for (int i = 0; i < LANE_TURNS; i++)
        TAILQ_INIT(&lane->turns[i].entries);
}

static struct lane_turn *turn_of(struct lane *lane, uint32_t address)
{
    return &lane->turns[address % LANE_TURNS];
}

void lane_push(struct lane *lane, struct schedule_entry *entry)
{
    struct lane_turn *turn = turn_of(lane, entry->address);

    entry->waits = true;
    if (turn->count == 0) {
        TAILQ_INSERT_TAIL(&lane->order, turn, next);
        lane->addresses++;
    }
    TAILQ_INSERT_TAIL(&turn->entries, entry, turn);
    TAILQ_INSERT_TAIL(&lane->ages, entry, age);
    turn->count++;
    lane->count++;
    lane->cost += entry->cost;
}

struct schedule_entry *lane_first(const struct lane *lane)
{
    const struct lane_turn *turn = TAILQ_FIRST(&lane->order);

    return turn ? TAILQ_FIRST(&turn->entries) : NULL;
}

void lane_remove(struct lane *lane, struct schedule_entry *entry)
{
    struct lane_turn *turn = turn_of(lane, entry->address);
    bool was_first = lane_first(lane) == entry;

    entry->waits = false;
    TAILQ_REMOVE(&turn->entries, entry, turn);
    TAILQ_REMOVE(&lane->ages, entry, age);
    turn->count--;
    lane->count--;
    lane->cost -= entry->cost;
    if (turn->count == 0) {
        TAILQ_REMOVE(&lane->order, turn, next);
        lane->addresses--;
    } else if (was_first) {
        TAILQ_REMOVE(&lane->order, turn, next);
        TAILQ_INSERT_TAIL(&lane->order, turn, next);
    }
}

struct schedule_entry *lane_newest(const struct lane *lane)
{
    const struct lane_turn *longest = TAILQ_FIRST(&lane->order);
    const struct lane_turn *each;

    TAILQ_FOREACH(each, &lane->order, next)
    if (each->count > longest->count)
        longest = each;
    return TAILQ_LAST(&longest->entries, lane_entries);
}

/* Each other address is served at most once more than this one has entries. */
size_t lane_ahead(const struct lane *lane, uint32_t address)
{
    size_t own = lane->turns[address % LANE_TURNS].count;
    size_t others = lane->addresses - (own > 0);
    size_t turns = others * (own + 1);
    size_t waiting = lane->count - own;

    return own + (turns < waiting ? turns : waiting);
}
