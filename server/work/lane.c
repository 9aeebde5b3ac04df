#include "server/work/lane.h"

void lane_init(struct lane *lane)
{
    *lane = (struct lane){.count = 0};
    TAILQ_INIT(&lane->order);
    TAILQ_INIT(&lane->ages);
    TAILQ_INIT(&lane->promises);
    for (int i = 0; i < LANE_TURNS; i++)
        TAILQ_INIT(&lane->turns[i].entries);
}

struct lane_turn *lane_turn_of(struct lane *lane, uint32_t address)
{
    return &lane->turns[address % LANE_TURNS];
}

static bool is_unused(const struct lane_turn *turn)
{
    return turn->count + turn->promised == 0;
}

void lane_push(struct lane *lane, struct schedule_entry *entry)
{
    struct lane_turn *turn = lane_turn_of(lane, entry->address);

    entry->waits = true;
    lane->addresses += is_unused(turn);
    if (turn->count == 0)
        TAILQ_INSERT_TAIL(&lane->order, turn, next);
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
    struct lane_turn *turn = lane_turn_of(lane, entry->address);
    bool was_first = lane_first(lane) == entry;

    entry->waits = false;
    TAILQ_REMOVE(&turn->entries, entry, turn);
    TAILQ_REMOVE(&lane->ages, entry, age);
    turn->count--;
    lane->count--;
    lane->cost -= entry->cost;
    lane->addresses -= is_unused(turn);
    if (turn->count == 0) {
        TAILQ_REMOVE(&lane->order, turn, next);
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

void lane_promise(struct lane *lane, struct schedule_entry *entry)
{
    struct lane_turn *turn = lane_turn_of(lane, entry->address);

    lane->addresses += is_unused(turn);
    TAILQ_INSERT_TAIL(&lane->promises, entry, age);
    entry->promised = true;
    turn->promised++;
    lane->promised++;
    lane->promised_cost += entry->cost;
}

void lane_forget(struct lane *lane, struct schedule_entry *entry)
{
    struct lane_turn *turn = lane_turn_of(lane, entry->address);

    TAILQ_REMOVE(&lane->promises, entry, age);
    entry->promised = false;
    turn->promised--;
    lane->promised--;
    lane->promised_cost -= entry->cost;
    lane->addresses -= is_unused(turn);
}

/* Each other address is served at most once more than this one has entries. */
size_t lane_ahead(const struct lane *lane, uint32_t address)
{
    const struct lane_turn *turn = &lane->turns[address % LANE_TURNS];
    size_t own = turn->count + turn->promised;
    size_t others = lane->addresses - (own > 0);
    size_t turns = others * (own + 1);
    size_t waiting = lane->count + lane->promised - own;

    return own + (turns < waiting ? turns : waiting);
}
