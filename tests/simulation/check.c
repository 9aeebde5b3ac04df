/* What must hold after each event. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/simulation/world.h"

void fail(const struct world *world, const char *what)
{
    printf("event %llu at %.3f s: %s\n", (unsigned long long)world->events,
           (double)world->now_ns / 1e9, what);
    exit(1);
}

static void require(const struct world *world, bool holds, const char *what)
{
    if (!holds)
        fail(world, what);
}

static size_t beyond_allowance(const struct lease *lease)
{
    return lease->held > CONNECTION_COST_ALLOWANCE
               ? lease->held - CONNECTION_COST_ALLOWANCE
               : 0;
}

static void check_clients(const struct world *world)
{
    size_t leased = 0, waiting = 0;

    for (int i = 0; i < CONNECTIONS; i++) {
        const struct client *client = &world->clients[i];

        leased += beyond_allowance(&client->lease);
        waiting += client->stage == WAITING;
        require(world, client->answers <= 1, "a request has two answers");
        require(world,
                (client->item.place == QUEUE_WAITING) ==
                    (client->stage == WAITING),
                "an item waits without its request, or the reverse");
    }
    require(world, leased == atomic_load(&world->budget.leased),
            "the bytes of the budget are not those of the leases");
    require(world, leased <= world->budget.limit, "the budget is exceeded");
    require(world, waiting == world->queue.waiting,
            "the queue counts other requests than wait");
    require(world, waiting <= world->queue.settings.max_waiting,
            "more requests wait than may");
}

static bool may_run(enum lane kind, enum lane lane)
{
    switch (kind) {
    case LANE_SHORT:
        return lane == LANE_SHORT;
    case LANE_MEDIUM:
        return lane == LANE_SHORT || lane == LANE_MEDIUM;
    case LANE_LONG:
        return lane == LANE_LONG;
    }
    return false;
}

static void check_threads(const struct world *world)
{
    int running[LANES] = {0};

    for (int i = 0; i < world->thread_count; i++) {
        const struct thread *thread = &world->threads[i];

        if (!thread->client) {
            require(world, !queue_has_work(&world->queue, thread->lane),
                    "a thread is idle although there is work for it");
            continue;
        }
        require(world, may_run(thread->lane, thread->client->item.lane),
                "a thread runs a request of another's lane");
        running[thread->client->item.lane]++;
    }
    for (int i = 0; i < LANES; i++)
        require(world, running[i] == world->queue.lanes[i].running,
                "the queue counts other requests than run");
}

void check_world(const struct world *world)
{
    check_clients(world);
    check_threads(world);
}

static uint64_t other_turns(const struct world *world, enum lane lane,
                            uint32_t address)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < ADDRESSES; i++)
        count += i != address &&
                 !TAILQ_EMPTY(&world->queue.lanes[lane].addresses[i].items);
    return count;
}

void watch_turn(struct world *world, enum lane lane, uint32_t address)
{
    world->turns[lane][address] = (struct turn_watch){
        world->served[lane], other_turns(world, lane, address)};
}

/* The item has just been taken. */
void check_taken(struct world *world, const struct queue_item *item)
{
    const struct turn_watch *turn = &world->turns[item->lane][item->address];

    require(world, world->served[item->lane] - turn->since <= turn->bound,
            "an address was passed by more turns than there were others");
    require(world,
            item->limit_ns == 0 ||
                world->now_ns - item->queued_ns <= 2 * item->limit_ns + TICK_NS,
            "a request has waited for longer than it may");
    world->served[item->lane]++;
    watch_turn(world, item->lane, item->address);
}

void check_end(const struct world *world)
{
    require(world, atomic_load(&world->budget.leased) == 0,
            "bytes are left at the end of the drain");
    require(world, world->queue.waiting == 0,
            "requests are left at the end of the drain");
    for (int i = 0; i < LANES; i++) {
        const struct queue_lane *lane = &world->queue.lanes[i];

        require(world, lane->running == 0 && lane->running_cost == 0,
                "requests run at the end of the drain");
        require(world,
                lane->count == 0 && lane->cost == 0 && lane->address_count == 0,
                "a lane is not empty at the end of the drain");
    }
}
