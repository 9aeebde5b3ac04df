#include "tests/simulation/world.h"

#include <string.h>

#define MS UINT64_C(1000000)

static const uint64_t delays_ns[] = {0, 20 * MS, 100 * MS, 1000 * MS};

/* splitmix64 */
uint64_t world_random(struct world *world, uint64_t limit)
{
    uint64_t z = world->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % limit;
}

static bool chance(struct world *world, unsigned percent)
{
    return world_random(world, 100) < percent;
}

static void start_threads(struct world *world, int workers)
{
    world->thread_count = 2 * workers + 1;
    for (int i = 0; i < world->thread_count; i++)
        world->threads[i] =
            (struct thread){.lane = i < workers       ? LANE_MEDIUM
                                    : i < 2 * workers ? LANE_LONG
                                                      : LANE_SHORT,
                            .due_ns = NEVER};
}

void world_start(struct world *world)
{
    const struct queue_settings settings = {
        .max_waiting = 1 + world_random(world, 60),
        .max_delay_ns = delays_ns[world_random(world, 4)],
        .workers = 1 + (int)world_random(world, WORKERS_MAX),
    };

    budget_init(&world->budget, 1 << (20 + world_random(world, 6)), 0);
    queue_init(&world->queue, &settings);
    start_threads(world, settings.workers);
    world->drain = (struct drain){.delay_ms = chance(world, 50) ? 0 : 500,
                                  .exit_ms = (int64_t)world_random(world, 5000),
                                  .has_admin = chance(world, 50)};
    world->gap_ns = MS << (4 + world_random(world, 9));
    world->next_tick_ns = world->now_ns + TICK_NS;
    world->timer_ns = world->must_end_ns = NEVER;
    world->signal_ns =
        world->now_ns + (1 + world_random(world, 10)) * 1000 * MS;
    memset(world->served, 0, sizeof(world->served));
    for (int i = 0; i < CONNECTIONS; i++) {
        struct client *client = &world->clients[i];

        *client = (struct client){.due_ns = world->now_ns +
                                            world_random(world, world->gap_ns)};
        lease_init(&client->lease, &world->budget, NULL);
        /* The first address has as many clients as all others together. */
        client->item.address =
            i % 2 ? 0 : (uint32_t)world_random(world, ADDRESSES);
    }
}

/* The request has ended: the client asks again later. */
static void end(struct world *world, struct client *client)
{
    lease_give(&client->lease, client->lease.held);
    if (client->lease.held != 0)
        fail(world, "a request that has ended holds bytes");
    if (client->asked && client->answers != 1)
        fail(world, "a request has ended without an answer");
    client->asked = false;
    client->stage = IDLE;
    client->due_ns = world->now_ns + 1 + world_random(world, 2 * world->gap_ns);
}

static void answer(struct world *world, struct client *client,
                   enum answer answer)
{
    client->answers++;
    world->answered[answer]++;
    if (answer != OK_200) {
        end(world, client);
        return;
    }
    client->stage = SENDING;
    client->due_ns = world->now_ns + world_random(world, 20 * MS);
}

static uint64_t random_cost(struct world *world)
{
    unsigned kind = (unsigned)world_random(world, 10);

    if (kind < 7)
        return 1 + world_random(world, LANE_SHORT_MAX);
    if (kind < 9)
        return 1 + world_random(world, LANE_MEDIUM_MAX);
    return 1 + world_random(world, 40 * LANE_MEDIUM_MAX);
}

static void arrive(struct world *world, struct client *client)
{
    world->requests++;
    client->asked = true;
    client->answers = 0;
    client->admitted = client->cut = false;
    client->refuse_result = false;
    client->item.cost = random_cost(world);
    client->deadline_ns =
        chance(world, 10) ? world->now_ns + world_random(world, 500 * MS) : 0;
    client->body_left =
        world_random(world, chance(world, 10) ? 4 << 20 : 99999);
    client->stage = BODY;
    client->due_ns = world->now_ns + world_random(world, 5 * MS);
    if (client->body_left <= 64 << 10)
        return;
    if (queue_check(&world->queue, &client->item, false, world->now_ns) !=
        QUEUE_OK)
        answer(world, client, REFUSED_503);
    else
        client->admitted = true;
}

static void push(struct world *world, struct client *client, bool begun)
{
    struct queue *queue = &world->queue;
    struct queue_item *item = &client->item;

    if (queue_check(queue, item, begun, world->now_ns) != QUEUE_OK) {
        answer(world, client, REFUSED_503);
        return;
    }
    queue_push(queue, item, world->now_ns);
    client->stage = WAITING;
    if (TAILQ_FIRST(&queue->lanes[item->lane].addresses[item->address].items) ==
        item)
        watch_turn(world, item->lane, item->address);
    /* Some clients close before they are served. */
    client->due_ns = chance(world, 3)
                         ? world->now_ns + world_random(world, 300 * MS)
                         : NEVER;
}

static void receive(struct world *world, struct client *client)
{
    size_t size = 1 + world_random(world, 256 << 10);
    enum lease_verdict verdict;

    size = size < client->body_left ? size : client->body_left;
    if (chance(world, 1)) {
        answer(world, client, chance(world, 50) ? GONE : SLOW_408);
        return;
    }
    verdict = lease_take(&client->lease, size);
    if (verdict != LEASE_OK) {
        answer(world, client,
               verdict == LEASE_NEVER ? TOO_LARGE_413 : REFUSED_503);
        return;
    }
    client->body_left -= size;
    client->due_ns = world->now_ns +
                     world_random(world, chance(world, 1) ? 3000 * MS : 2 * MS);
    if (client->body_left == 0) {
        push(world, client, client->admitted);
    }
}

/* Removes a request that waits, and answers it. */
static void remove_waiting(struct world *world, struct client *client,
                           enum answer why)
{
    enum lane lane = client->item.lane;

    if (!queue_remove(&world->queue, &client->item))
        fail(world, "a request that waits cannot be removed");
    watch_turn(world, lane, client->item.address);
    answer(world, client, why);
}

static void close_client(struct world *world, struct client *client)
{
    if (client->stage == BODY)
        answer(world, client, GONE);
    else if (client->stage == WAITING)
        remove_waiting(world, client, GONE);
    else if (client->stage == SENDING)
        end(world, client);
    client->cut = client->stage == RUNNING;
    if (client->stage != RUNNING) {
        client->stage = CLOSED;
        client->due_ns = NEVER;
    }
}

static void on_client(struct world *world, struct client *client)
{
    client->due_ns = NEVER;
    switch (client->stage) {
    case IDLE:
        if (world->drain.state >= DRAIN_STOPPING)
            close_client(world, client);
        else
            arrive(world, client);
        break;
    case BODY:
        receive(world, client);
        break;
    case WAITING:
        remove_waiting(world, client, GONE);
        break;
    case RUNNING:
        client->cut = true;
        break;
    case SENDING:
        end(world, client);
        break;
    case CLOSED:
        break;
    }
}

static void take_work(struct world *world, struct thread *thread)
{
    struct queue_item *item = queue_take(&world->queue, thread->lane);
    struct client *client = (struct client *)(void *)item;
    uint64_t ns;

    if (!item)
        return;
    check_taken(world, item);
    client->stage = RUNNING;
    client->due_ns = NEVER;
    client->refuse_result =
        lease_take(&client->lease, world_random(world, 1 << 20)) != LEASE_OK;
    ns = item->cost / 4 + world_random(world, 2 * item->cost);
    thread->client = client;
    thread->began_ns = world->now_ns;
    thread->due_ns = world->now_ns + (chance(world, 1) ? 20 * ns : ns);
}

static void on_thread(struct world *world, struct thread *thread)
{
    struct client *client = thread->client;
    struct queue_item *item = &client->item;

    thread->client = NULL;
    thread->due_ns = NEVER;
    if (item->lane < LANE_LONG && !client->cut && chance(world, 15)) {
        queue_pause(&world->queue, item);
        item->cost = LANE_SHORT_MAX + random_cost(world);
        push(world, client, true);
        return;
    }
    queue_done(&world->queue, item, world->now_ns - thread->began_ns);
    if (client->cut || client->refuse_result)
        answer(world, client, client->cut ? GONE : REFUSED_503);
    else
        answer(world, client, OK_200);
}

static void shed(struct world *world)
{
    struct queue_item *late;

    while ((late = queue_shed(&world->queue, world->now_ns))) {
        for (int i = 0; i < LANES; i++)
            watch_turn(world, (enum lane)i, late->address);
        answer(world, (struct client *)(void *)late, REFUSED_503);
    }
}

static void on_tick(struct world *world)
{
    world->next_tick_ns += TICK_NS;
    shed(world);
    for (int i = 0; i < CONNECTIONS; i++) {
        struct client *client = &world->clients[i];

        if (client->stage == WAITING && client->deadline_ns > 0 &&
            client->deadline_ns <= world->now_ns)
            remove_waiting(world, client, LATE_504);
        if (world->drain.state == DRAIN_ABORTING)
            close_client(world, client);
    }
    if (budget_pressure(&world->budget, world->now_ns / MS) >
        BUDGET_PRESSURE_MAX)
        fail(world, "the pressure is above its limit");
}

static void on_drain(struct world *world, enum drain_event event)
{
    int64_t timer_ms;

    if (!main_loop_drain(&world->drain, event, &timer_ms))
        return;
    world->timer_ns =
        timer_ms < 0 ? NEVER : world->now_ns + (uint64_t)timer_ms * MS;
    if (world->drain.state != DRAIN_STOPPING)
        return;
    for (int i = 0; i < CONNECTIONS; i++)
        if (world->clients[i].stage == IDLE)
            close_client(world, &world->clients[i]);
}

/* The delay, 100 ms for connections that have begun, the time for requests to
 * end, 2 s for those that are aborted. */
static void on_signal(struct world *world)
{
    const struct drain *drain = &world->drain;

    if (drain->state == DRAIN_SERVING)
        world->must_end_ns =
            world->now_ns +
            (uint64_t)(drain->delay_ms + 100 + drain->exit_ms + 2000) * MS;
    on_drain(world, DRAIN_ON_SIGNAL);
}

static bool all_closed(const struct world *world)
{
    for (int i = 0; i < CONNECTIONS; i++)
        if (world->clients[i].stage != CLOSED)
            return false;
    return true;
}

/* The earliest of all events that are due. */
static void happen(struct world *world)
{
    struct client *client = NULL;
    struct thread *thread = NULL;
    uint64_t due_ns = world->next_tick_ns;

    due_ns = world->signal_ns < due_ns ? world->signal_ns : due_ns;
    due_ns = world->timer_ns < due_ns ? world->timer_ns : due_ns;
    for (int i = 0; i < world->thread_count; i++)
        if (world->threads[i].due_ns < due_ns) {
            thread = &world->threads[i];
            due_ns = thread->due_ns;
        }
    for (int i = 0; i < CONNECTIONS; i++)
        if (world->clients[i].due_ns < due_ns) {
            client = &world->clients[i];
            due_ns = client->due_ns;
        }
    world->now_ns = due_ns;
    if (client) {
        on_client(world, client);
    } else if (thread) {
        on_thread(world, thread);
        shed(world);
    } else if (due_ns == world->next_tick_ns) {
        on_tick(world);
    } else if (due_ns == world->signal_ns) {
        world->signal_ns = chance(world, 10) ? due_ns + 1000 * MS : NEVER;
        on_signal(world);
    } else {
        on_drain(world, DRAIN_ON_TIMER);
    }
}

bool world_step(struct world *world)
{
    world->events++;
    happen(world);
    for (int i = 0; i < world->thread_count; i++)
        if (!world->threads[i].client)
            take_work(world, &world->threads[i]);
    check_world(world);
    if (world->now_ns > world->must_end_ns)
        fail(world, "the drain takes longer than it may");
    if (world->drain.state == DRAIN_STUCK)
        return false;
    if (world->drain.state >= DRAIN_STOPPING && all_closed(world)) {
        on_drain(world, DRAIN_ON_PORT_DONE);
        on_drain(world, DRAIN_ON_ADMIN_DONE);
        if (world->drain.state != DRAIN_ENDED)
            fail(world, "the drain does not end");
        check_end(world);
        return false;
    }
    return true;
}
