/* How long requests wait, and who may not. */
#include "server/work/schedule.h"

enum {
    UNIT = 1024, /* speeds are nanoseconds of a thread for this much cost */
    /* One odd request must not make the schedule believe that all are a
     * thousand times slower. */
    SPEED_MIN = UNIT / 16,
    SPEED_MAX = UNIT * 64,
    /* Of max_delay_ns: how long requests may wait in a queue that stands. */
    STANDING_PART = 20,
    /* Times max_delay_ns: how long a refusal is remembered. */
    ALERT_DELAYS = 10,
    GROWING_MANY = 512, /* of 1024 */
};

static uint64_t time_of(const struct schedule_service *lane, uint64_t cost)
{
    uint64_t speed = lane->done_ns * UNIT / lane->done_cost;

    if (speed < SPEED_MIN)
        speed = SPEED_MIN;
    if (speed > SPEED_MAX)
        speed = SPEED_MAX;
    return cost * speed / UNIT;
}

/* Threads that work for a lane: those for medium requests serve the short ones
 * too, and share their time when both wait. */
static int threads_of(const struct schedule *schedule, enum schedule_lane lane)
{
    const struct schedule_service *lanes = schedule->lanes;
    int workers = schedule->settings.workers;

    if (lane == SCHEDULE_SHORT)
        return 1 + workers - lanes[SCHEDULE_MEDIUM].running;
    if (lane == SCHEDULE_MEDIUM && lanes[SCHEDULE_SHORT].waiting.count > 0)
        return (workers + 1) / 2;
    return workers;
}

/* The running requests count half: on average half of them is done. */
static uint64_t clear_ns(const struct schedule *schedule,
                         enum schedule_lane number, uint64_t waiting_cost)
{
    const struct schedule_service *lane = &schedule->lanes[number];
    int threads = threads_of(schedule, number);

    if (waiting_cost == 0 && lane->running < threads)
        return 0;
    return time_of(lane, waiting_cost + lane->running_cost / 2) /
           (uint64_t)threads;
}

uint64_t schedule_wait_ns(const struct schedule *schedule, uint32_t address,
                          uint64_t cost)
{
    enum schedule_lane number = schedule_lane_of(cost);
    const struct lane *lane = &schedule->lanes[number].waiting;
    size_t ahead = lane_ahead(lane, address);

    return clear_ns(schedule, number,
                    ahead == 0 ? 0
                               : (lane->cost + lane->promised_cost) /
                                     (lane->count + lane->promised) * ahead);
}

/* A request that runs for seconds gains little by a refusal after 100 ms. */
static uint64_t patience_of(const struct schedule *schedule, uint64_t cost,
                            uint64_t delay_ns)
{
    const struct schedule_service *lane =
        &schedule->lanes[schedule_lane_of(cost)];
    uint64_t own_ns = time_of(lane, cost);

    return delay_ns == 0 || delay_ns > own_ns ? delay_ns : own_ns;
}

/* How long a new request of the address may wait in the lane. */
static uint64_t delay_in(const struct schedule *schedule,
                         struct lane_turn *turn, uint64_t now_ns)
{
    uint64_t delay_ns = schedule->settings.max_delay_ns;
    uint64_t part_ns = delay_ns / STANDING_PART;

    if (turn->count == 0)
        turn->calm_ns = now_ns;
    return now_ns < turn->alert_ns && now_ns - turn->calm_ns > part_ns
               ? part_ns
               : delay_ns;
}

static bool is_late(const struct schedule *schedule, uint32_t address,
                    uint64_t cost, uint64_t delay_ns)
{
    uint64_t patience_ns = patience_of(schedule, cost, delay_ns);

    return patience_ns > 0 &&
           schedule_wait_ns(schedule, address, cost) > patience_ns;
}

static bool is_new_late(struct schedule *schedule, uint32_t address,
                        uint64_t cost, uint64_t now_ns)
{
    enum schedule_lane number = schedule_lane_of(cost);
    struct schedule_service *lane = &schedule->lanes[number];
    struct lane_turn *turn = lane_turn_of(&lane->waiting, address);

    if (is_late(schedule, address, cost, delay_in(schedule, turn, now_ns))) {
        turn->alert_ns =
            now_ns + ALERT_DELAYS * schedule->settings.max_delay_ns;
        return true;
    }
    return lane->growing > GROWING_MANY &&
           is_new_late(schedule, address, schedule_lane_max(number) + 1,
                       now_ns);
}

enum schedule_verdict schedule_check(struct schedule *schedule,
                                     uint32_t address, uint64_t cost, bool paid,
                                     uint64_t now_ns)
{
    if (schedule->waiting >= schedule->settings.max_waiting)
        return SCHEDULE_FULL;
    if (paid ? is_late(schedule, address, cost,
                       2 * schedule->settings.max_delay_ns)
             : is_new_late(schedule, address, cost, now_ns))
        return SCHEDULE_LATE;
    return SCHEDULE_OK;
}

void schedule_forget(struct schedule *schedule, struct schedule_entry *entry)
{
    if (!entry->promised)
        return;
    lane_forget(&schedule->lanes[entry->lane].waiting, entry);
    entry->lane = -1;
}

/* Ends the promises that were not kept. */
static void expire(struct schedule *schedule, struct lane *lane,
                   uint64_t now_ns)
{
    struct schedule_entry *first;

    while ((first = TAILQ_FIRST(&lane->promises)) &&
           now_ns - first->queued_ns > schedule->settings.max_delay_ns)
        schedule_forget(schedule, first);
}

void schedule_renew(struct schedule *schedule, struct schedule_entry *entry,
                    uint64_t now_ns)
{
    schedule_forget(schedule, entry);
    entry->lane = (int)schedule_lane_of(entry->cost);
    entry->queued_ns = now_ns;
    lane_promise(&schedule->lanes[entry->lane].waiting, entry);
}

enum schedule_verdict schedule_admit(struct schedule *schedule,
                                     struct schedule_entry *entry,
                                     uint64_t now_ns)
{
    enum schedule_lane number = schedule_lane_of(entry->cost);
    enum schedule_verdict verdict;

    expire(schedule, &schedule->lanes[number].waiting, now_ns);
    verdict =
        schedule_check(schedule, entry->address, entry->cost, false, now_ns);
    if (verdict == SCHEDULE_OK)
        schedule_renew(schedule, entry, now_ns);
    return verdict;
}

void schedule_push(struct schedule *schedule, struct schedule_entry *entry,
                   uint64_t now_ns)
{
    entry->lane = (int)schedule_lane_of(entry->cost);
    entry->queued_ns = now_ns;
    entry->patience_ns =
        patience_of(schedule, entry->cost, schedule->settings.max_delay_ns);
    lane_push(&schedule->lanes[entry->lane].waiting, entry);
    schedule->waiting++;
}

/* The oldest entry that has waited twice as long as it may. A longer request
 * may wait longer than a younger one, but each max_delay_ns at least. */
static struct schedule_entry *find_overdue(const struct schedule *schedule,
                                           const struct lane *lane,
                                           uint64_t now_ns)
{
    uint64_t least_ns = 2 * schedule->settings.max_delay_ns;
    struct schedule_entry *each;

    TAILQ_FOREACH(each, &lane->ages, age)
    {
        uint64_t waited_ns = now_ns - each->queued_ns;

        if (waited_ns <= least_ns)
            return NULL;
        if (waited_ns > 2 * each->patience_ns)
            return each;
    }
    return NULL;
}

/* The entry of the lane that is to be refused, or NULL. */
static struct schedule_entry *find_late(const struct schedule *schedule,
                                        enum schedule_lane number,
                                        uint64_t now_ns)
{
    const struct lane *lane = &schedule->lanes[number].waiting;
    struct schedule_entry *oldest = TAILQ_FIRST(&lane->ages);
    uint64_t waited_ns;

    if (!oldest || oldest->patience_ns == 0)
        return NULL;
    waited_ns = now_ns - oldest->queued_ns;
    if (waited_ns > oldest->patience_ns &&
        clear_ns(schedule, number, lane->cost) > oldest->patience_ns)
        return lane_newest(lane);
    return find_overdue(schedule, lane, now_ns);
}

struct schedule_entry *schedule_shed(struct schedule *schedule, uint64_t now_ns)
{
    struct schedule_entry *late = NULL;

    for (int i = 0; i < SCHEDULE_LANES && !late; i++) {
        expire(schedule, &schedule->lanes[i].waiting, now_ns);
        late = find_late(schedule, (enum schedule_lane)i, now_ns);
    }
    if (late)
        schedule_remove(schedule, late);
    return late;
}
