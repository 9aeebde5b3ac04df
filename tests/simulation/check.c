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
    size_t leased = 0, waiting = 0, promised = 0;

    for (int i = 0; i < CONNECTIONS; i++) {
        const struct client *client = &world->clients[i];

        leased += beyond_allowance(&client->lease);
        waiting += client->stage == WAITING;
        promised += client->entry.promised;
        require(world, client->answers <= 1, "a request has two answers");
        require(world, client->entry.waits == (client->stage == WAITING),
                "an entry waits without its request, or the reverse");
        require(world, !client->entry.promised || client->stage == BODY,
                "a promise outlives the body");
    }
    require(world, leased == atomic_load(&world->budget.leased),
            "the bytes of the budget are not those of the leases");
    require(world, leased <= world->budget.limit, "the budget is exceeded");
    require(world, waiting == world->schedule.waiting,
            "the schedule counts other requests than wait");
    require(world, waiting <= world->schedule.settings.max_waiting,
            "more requests wait than may");
    for (int i = 0; i < SCHEDULE_LANES; i++)
        promised -= world->schedule.lanes[i].waiting.promised;
    require(world, promised == 0, "the lanes count other promises");
}

static bool may_run(enum schedule_kind kind, int lane)
{
    switch (kind) {
    case SCHEDULE_FOR_SHORT:
        return lane == SCHEDULE_SHORT;
    case SCHEDULE_FOR_MEDIUM:
        return lane == SCHEDULE_SHORT || lane == SCHEDULE_MEDIUM;
    case SCHEDULE_FOR_LONG:
        return lane == SCHEDULE_LONG;
    }
    return false;
}

static void check_threads(const struct world *world)
{
    int running[SCHEDULE_LANES] = {0};

    for (int i = 0; i < world->thread_count; i++) {
        const struct thread *thread = &world->threads[i];

        if (!thread->client) {
            require(world, !schedule_has_work(&world->schedule, thread->kind),
                    "a thread is idle although there is work for it");
            continue;
        }
        require(world, may_run(thread->kind, thread->client->entry.lane),
                "a thread runs a request of another's lane");
        running[thread->client->entry.lane]++;
    }
    for (int i = 0; i < SCHEDULE_LANES; i++)
        require(world, running[i] == world->schedule.lanes[i].running,
                "the schedule counts other requests than run");
}

void check_world(const struct world *world)
{
    check_clients(world);
    check_threads(world);
}

static uint64_t other_turns(const struct world *world, int lane,
                            uint32_t address)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < ADDRESSES; i++)
        count += i != address &&
                 world->schedule.lanes[lane].waiting.turns[i].count > 0;
    return count;
}

void watch_turn(struct world *world, int lane, uint32_t address)
{
    world->turns[lane][address] = (struct turn_watch){
        world->served[lane], other_turns(world, lane, address)};
}

/* The entry has just been taken. */
void check_taken(struct world *world, const struct schedule_entry *entry)
{
    const struct turn_watch *turn = &world->turns[entry->lane][entry->address];

    require(world, world->served[entry->lane] - turn->since <= turn->bound,
            "an address was passed by more turns than there were others");
    require(world,
            entry->patience_ns == 0 || world->now_ns - entry->queued_ns <=
                                           2 * entry->patience_ns + TICK_NS,
            "a request has waited for longer than it may");
    world->served[entry->lane]++;
    watch_turn(world, entry->lane, entry->address);
}

void check_end(const struct world *world)
{
    require(world, atomic_load(&world->budget.leased) == 0,
            "bytes are left at the end of the drain");
    require(world, world->schedule.waiting == 0,
            "requests are left at the end of the drain");
    for (int i = 0; i < SCHEDULE_LANES; i++) {
        const struct schedule_service *lane = &world->schedule.lanes[i];

        require(world, lane->running == 0 && lane->running_cost == 0,
                "requests run at the end of the drain");
        require(world,
                lane->waiting.cost == 0 && lane->waiting.addresses == 0 &&
                    lane->waiting.promised_cost == 0,
                "a lane is not empty at the end of the drain");
    }
}
