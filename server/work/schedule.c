#include "server/work/schedule.h"

enum { MEMORY = 64 }; /* finished requests that the speed is the mean of */

void schedule_init(struct schedule *schedule,
                   const struct schedule_settings *settings)
{
    schedule->settings = *settings;
    schedule->waiting = 0;
    schedule->balance = 0;
    for (int i = 0; i < SCHEDULE_LANES; i++) {
        struct schedule_service *lane = &schedule->lanes[i];

        lane_init(&lane->waiting);
        lane->running = 0;
        lane->running_cost = 0;
        lane->done_ns = lane->done_cost = SCHEDULE_SHORT_MAX;
        lane->growing = 0;
    }
}

uint64_t schedule_lane_max(enum schedule_lane lane)
{
    static const uint64_t most[SCHEDULE_LANES] = {
        [SCHEDULE_SHORT] = SCHEDULE_SHORT_MAX,
        [SCHEDULE_MEDIUM] = SCHEDULE_MEDIUM_MAX,
        [SCHEDULE_LONG] = UINT64_MAX,
    };

    return most[lane];
}

enum schedule_lane schedule_lane_of(uint64_t cost)
{
    if (cost <= SCHEDULE_SHORT_MAX)
        return SCHEDULE_SHORT;
    return cost <= SCHEDULE_MEDIUM_MAX ? SCHEDULE_MEDIUM : SCHEDULE_LONG;
}

void schedule_entry_init(struct schedule_entry *entry)
{
    *entry = (struct schedule_entry){.lane = -1};
}

static bool waits_in(const struct schedule *schedule, enum schedule_lane lane)
{
    return schedule->lanes[lane].waiting.count > 0;
}

bool schedule_has_work(const struct schedule *schedule, enum schedule_kind kind)
{
    switch (kind) {
    case SCHEDULE_FOR_SHORT:
        return waits_in(schedule, SCHEDULE_SHORT);
    case SCHEDULE_FOR_MEDIUM:
        return waits_in(schedule, SCHEDULE_SHORT) ||
               waits_in(schedule, SCHEDULE_MEDIUM);
    case SCHEDULE_FOR_LONG:
        return waits_in(schedule, SCHEDULE_LONG);
    }
    return false;
}

/* The lane of the next entry for a thread that takes short and medium ones. */
static enum schedule_lane choose(struct schedule *schedule)
{
    const struct schedule_entry *small, *large;

    small = lane_first(&schedule->lanes[SCHEDULE_SHORT].waiting);
    large = lane_first(&schedule->lanes[SCHEDULE_MEDIUM].waiting);
    if (!small || !large) {
        schedule->balance = 0;
        return small ? SCHEDULE_SHORT : SCHEDULE_MEDIUM;
    }
    if (schedule->balance <= 0) {
        schedule->balance += (int64_t)small->cost;
        return SCHEDULE_SHORT;
    }
    schedule->balance -= (int64_t)large->cost;
    return SCHEDULE_MEDIUM;
}

static enum schedule_lane lane_for(struct schedule *schedule,
                                   enum schedule_kind kind)
{
    if (kind == SCHEDULE_FOR_MEDIUM)
        return choose(schedule);
    return kind == SCHEDULE_FOR_LONG ? SCHEDULE_LONG : SCHEDULE_SHORT;
}

struct schedule_entry *schedule_take(struct schedule *schedule,
                                     enum schedule_kind kind)
{
    struct schedule_service *lane;
    struct schedule_entry *entry;

    if (!schedule_has_work(schedule, kind))
        return NULL;
    lane = &schedule->lanes[lane_for(schedule, kind)];
    entry = lane_first(&lane->waiting);
    lane_remove(&lane->waiting, entry);
    schedule->waiting--;
    lane->running++;
    lane->running_cost += entry->cost;
    return entry;
}

/* The entry runs no more. */
static void end(struct schedule_service *lane, struct schedule_entry *entry,
                bool grew)
{
    lane->growing += (grew ? 1024 / MEMORY : 0) - lane->growing / MEMORY;
    lane->running--;
    lane->running_cost -= entry->cost;
    entry->lane = -1;
}

void schedule_pause(struct schedule *schedule, struct schedule_entry *entry)
{
    end(&schedule->lanes[entry->lane], entry, true);
}

void schedule_done(struct schedule *schedule, struct schedule_entry *entry,
                   uint64_t ns)
{
    struct schedule_service *lane = &schedule->lanes[entry->lane];

    lane->done_ns += ns - lane->done_ns / MEMORY;
    lane->done_cost += entry->cost - lane->done_cost / MEMORY;
    end(lane, entry, false);
}

bool schedule_remove(struct schedule *schedule, struct schedule_entry *entry)
{
    if (!entry->waits)
        return false;
    lane_remove(&schedule->lanes[entry->lane].waiting, entry);
    schedule->waiting--;
    entry->lane = -1;
    return true;
}
