#include "server/work/queue.h"

#include "kernels/core/require.h"
#include "kernels/core/size.h"

enum {
    MEMORY = 64, /* finished requests that the speed is the mean of */
    UNIT = 1024, /* speeds are nanoseconds of a thread for this much cost */
    /* One odd request must not make the queue believe that all are a thousand
     * times slower. */
    SPEED_MIN = UNIT / 16,
    SPEED_MAX = UNIT * 64,
    /* Of max_delay_ns: how long requests may wait in a queue that stands. */
    STANDING_PART = 20,
    /* Times max_delay_ns: how long a refusal is remembered. */
    STRICT_DELAYS = 10,
    LONGER_MANY = 512, /* of 1024 */
};

void queue_init(struct queue *queue, const struct queue_settings *settings)
{
    *queue = (struct queue){.settings = *settings};
    for (int i = 0; i < LANES; i++) {
        struct queue_lane *lane = &queue->lanes[i];

        TAILQ_INIT(&lane->round);
        TAILQ_INIT(&lane->waiting);
        for (int j = 0; j < LANE_ADDRESSES; j++)
            TAILQ_INIT(&lane->addresses[j].items);
        lane->done_ns = lane->done_cost = LANE_SHORT_MAX;
    }
}

uint64_t queue_lane_max(enum lane lane)
{
    static const uint64_t most[LANES] = {LANE_SHORT_MAX, LANE_MEDIUM_MAX,
                                         UINT64_MAX};

    return most[lane];
}

enum lane queue_lane_of(uint64_t cost)
{
    enum lane lane = LANE_SHORT;

    while (cost > queue_lane_max(lane))
        lane++;
    return lane;
}

static struct queue_address *address_of(struct queue_lane *lane,
                                        uint32_t address)
{
    return &lane->addresses[address % LANE_ADDRESSES];
}

/* Waiting. */

/* The item that is served next; NULL if none waits. */
static struct queue_item *first_of(const struct queue_lane *lane)
{
    const struct queue_address *address = TAILQ_FIRST(&lane->round);

    return address ? TAILQ_FIRST(&address->items) : NULL;
}

/* Takes out any item. Only the first of the round uses up its address's
 * place. */
static void take_out(struct queue *queue, struct queue_item *item)
{
    struct queue_lane *lane = &queue->lanes[item->lane];
    struct queue_address *address = address_of(lane, item->address);
    bool was_first = first_of(lane) == item;

    REQUIRE(item->place == QUEUE_WAITING && queue->waiting > 0);
    REQUIRE(address->count > 0 && lane->count >= address->count);
    TAILQ_REMOVE(&address->items, item, next);
    TAILQ_REMOVE(&lane->waiting, item, later);
    item->place = QUEUE_NONE;
    lane->address_count -= --address->count == 0;
    lane->count--;
    lane->cost -= item->cost;
    REQUIRE(lane->count > 0 || lane->cost == 0);
    queue->waiting--;
    if (was_first || TAILQ_EMPTY(&address->items))
        TAILQ_REMOVE(&lane->round, address, next);
    if (was_first && !TAILQ_EMPTY(&address->items))
        TAILQ_INSERT_TAIL(&lane->round, address, next);
}

bool queue_remove(struct queue *queue, struct queue_item *item)
{
    if (item->place != QUEUE_WAITING)
        return false;
    take_out(queue, item);
    return true;
}

/* Running. */

bool queue_has_work(const struct queue *queue, enum lane thread)
{
    const struct queue_lane *lanes = queue->lanes;

    return !TAILQ_EMPTY(&lanes[thread].waiting) ||
           (thread == LANE_MEDIUM && !TAILQ_EMPTY(&lanes[LANE_SHORT].waiting));
}

/* The lane of the next item for a thread that takes short and medium ones. */
static enum lane choose(struct queue *queue)
{
    const struct queue_item *small = first_of(&queue->lanes[LANE_SHORT]);
    const struct queue_item *large = first_of(&queue->lanes[LANE_MEDIUM]);

    if (!small || !large) {
        queue->balance = 0;
        return small ? LANE_SHORT : LANE_MEDIUM;
    }
    if (queue->balance <= 0) {
        queue->balance += (int64_t)small->cost;
        return LANE_SHORT;
    }
    queue->balance -= (int64_t)large->cost;
    return LANE_MEDIUM;
}

struct queue_item *queue_take(struct queue *queue, enum lane thread)
{
    struct queue_lane *lane;
    struct queue_item *item;

    if (!queue_has_work(queue, thread))
        return NULL;
    lane = &queue->lanes[thread == LANE_MEDIUM ? choose(queue) : thread];
    item = first_of(lane);
    take_out(queue, item);
    item->place = QUEUE_RUNNING;
    lane->running++;
    lane->running_cost += item->cost;
    return item;
}

static void end(struct queue_lane *lane, struct queue_item *item, bool longer)
{
    REQUIRE(item->place == QUEUE_RUNNING && lane->running > 0);
    lane->longer += (longer ? 1024 / MEMORY : 0) - lane->longer / MEMORY;
    lane->running--;
    lane->running_cost -= item->cost;
    item->place = QUEUE_NONE;
}

void queue_pause(struct queue *queue, struct queue_item *item)
{
    end(&queue->lanes[item->lane], item, true);
}

void queue_done(struct queue *queue, struct queue_item *item, uint64_t ns)
{
    struct queue_lane *lane = &queue->lanes[item->lane];

    lane->done_ns += ns - lane->done_ns / MEMORY;
    lane->done_cost += item->cost - lane->done_cost / MEMORY;
    end(lane, item, false);
}

/* How long requests wait. */

static uint64_t time_of(const struct queue_lane *lane, uint64_t cost)
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
static int threads_of(const struct queue *queue, enum lane lane)
{
    int workers = queue->settings.workers;

    if (lane == LANE_SHORT)
        return 1 + workers - queue->lanes[LANE_MEDIUM].running;
    if (lane == LANE_MEDIUM && !TAILQ_EMPTY(&queue->lanes[LANE_SHORT].waiting))
        return (workers + 1) / 2;
    return workers;
}

/* The running requests count half: on average half of them is done. */
static uint64_t clear_ns(const struct queue *queue, enum lane number,
                         uint64_t waiting_cost)
{
    const struct queue_lane *lane = &queue->lanes[number];
    int threads = threads_of(queue, number);

    REQUIRE(threads > 0);
    if (waiting_cost == 0 && lane->running < threads)
        return 0;
    return time_of(lane, waiting_cost + lane->running_cost / 2) /
           (uint64_t)threads;
}

/* `before` counts the items that are served first. Round robin: before a new
 * item of this address runs, every other address runs at most own + 1 of its
 * own. */
static uint64_t wait_ns(const struct queue *queue, uint32_t address,
                        uint64_t cost)
{
    enum lane number = queue_lane_of(cost);
    const struct queue_lane *lane = &queue->lanes[number];
    size_t own = lane->addresses[address % LANE_ADDRESSES].count;
    size_t most = (lane->address_count - (own > 0)) * (own + 1);
    size_t before = own + size_min(most, lane->count - own);

    return clear_ns(queue, number,
                    before == 0 ? 0 : lane->cost / lane->count * before);
}

/* Admission. */

/* How long a request may wait where those of less cost may for `delay_ns`: one
 * that runs for seconds gains little by a refusal after 100 ms. */
static uint64_t limit_of(const struct queue *queue, uint64_t cost,
                         uint64_t delay_ns)
{
    uint64_t own_ns = time_of(&queue->lanes[queue_lane_of(cost)], cost);

    return delay_ns == 0 || delay_ns > own_ns ? delay_ns : own_ns;
}

/* How long a new request of the address may wait in the lane. */
static uint64_t delay_in(const struct queue *queue,
                         struct queue_address *address, uint64_t now_ns)
{
    uint64_t delay_ns = queue->settings.max_delay_ns;
    uint64_t part_ns = delay_ns / STANDING_PART;

    if (TAILQ_EMPTY(&address->items))
        address->empty_ns = now_ns;
    return now_ns < address->strict_ns && now_ns - address->empty_ns > part_ns
               ? part_ns
               : delay_ns;
}

static bool is_late(const struct queue *queue, uint32_t address, uint64_t cost,
                    uint64_t delay_ns)
{
    uint64_t limit_ns = limit_of(queue, cost, delay_ns);

    return limit_ns > 0 && wait_ns(queue, address, cost) > limit_ns;
}

static bool is_new_late(struct queue *queue, uint32_t address, uint64_t cost,
                        uint64_t now_ns)
{
    enum lane number = queue_lane_of(cost);
    struct queue_lane *lane = &queue->lanes[number];
    struct queue_address *of = address_of(lane, address);

    if (is_late(queue, address, cost, delay_in(queue, of, now_ns))) {
        of->strict_ns = now_ns + STRICT_DELAYS * queue->settings.max_delay_ns;
        return true;
    }
    return lane->longer > LONGER_MANY &&
           is_new_late(queue, address, queue_lane_max(number) + 1, now_ns);
}

enum queue_verdict queue_check(struct queue *queue, struct queue_item *item,
                               bool begun, uint64_t now_ns)
{
    uint32_t address = item->address;
    uint64_t cost = item->cost;

    item->wait_ns = wait_ns(queue, address, cost);
    if (queue->waiting >= queue->settings.max_waiting)
        return QUEUE_FULL;
    if (begun ? is_late(queue, address, cost, 2 * queue->settings.max_delay_ns)
              : is_new_late(queue, address, cost, now_ns))
        return QUEUE_LATE;
    return QUEUE_OK;
}

void queue_push(struct queue *queue, struct queue_item *item, uint64_t now_ns)
{
    enum lane number = queue_lane_of(item->cost);
    struct queue_lane *lane = &queue->lanes[number];
    struct queue_address *address = address_of(lane, item->address);

    REQUIRE(item->place == QUEUE_NONE);
    item->lane = number;
    item->queued_ns = now_ns;
    item->limit_ns = limit_of(queue, item->cost, queue->settings.max_delay_ns);
    item->place = QUEUE_WAITING;
    lane->address_count += address->count++ == 0;
    lane->count++;
    lane->cost += item->cost;
    if (TAILQ_EMPTY(&address->items))
        TAILQ_INSERT_TAIL(&lane->round, address, next);
    TAILQ_INSERT_TAIL(&address->items, item, next);
    TAILQ_INSERT_TAIL(&lane->waiting, item, later);
    queue->waiting++;
}

/* Refusals of waiting requests. */

/* The oldest that has waited twice as long as it may. A longer request may wait
 * longer than a younger one, but each max_delay_ns at least. */
struct queue_item *queue_shed(struct queue *queue, uint64_t now_ns)
{
    uint64_t least_ns = 2 * queue->settings.max_delay_ns;
    struct queue_item *each;

    for (int i = 0; i < LANES; i++) {
        TAILQ_FOREACH(each, &queue->lanes[i].waiting, later)
        {
            uint64_t waited_ns = now_ns - each->queued_ns;

            if (least_ns == 0 || waited_ns <= least_ns)
                break;
            if (waited_ns > 2 * each->limit_ns) {
                take_out(queue, each);
                return each;
            }
        }
    }
    return NULL;
}
