#include "tests/fuzz/steps.h"

#include "tests/fuzz/objects.h"

enum { MAX_ASKS = 5 };

static void step_wait(struct run *run, unsigned amount)
{
    static const uint64_t times[8] = {1,    10,   100,   500,
                                      1000, 3000, 10000, 75000};

    run->waited_ms += times[amount];
    if (run->waited_ms >= 1000) /* the shortest deadline */
        run_lose(run);
    world_wait(run->world, times[amount]);
    run_settle(run);
}

/* Each kind of worker takes other jobs. */
static void step_work(struct run *run, unsigned amount)
{
    if (amount < LANES)
        workers_run_one(&run->world->service.workers, (enum lane)amount);
    else
        world_work(run->world);
}

static void step_event(struct run *run, unsigned amount)
{
    struct job_context *jobs = &run->world->service.jobs;

    if (amount < 3) {
        if (amount > 0)
            run_lose(run);
        world_set_phase(run->world,
                        (enum service_phase)(SERVICE_DRAINING + amount));
    } else if (amount < 3 + OBJECT_COUNT) {
        objects_cut((int)amount - 3, OBJECT_BYTES / 4);
    } else if (amount == 6) {
        run_reload(run);
    } else {
        budget_trim(&jobs->budget, 0);
    }
}

static void step_receive(struct client *client, unsigned amount)
{
    if (amount < 2)
        client->reads = amount == 1;
    else
        client_receive(client, (size_t)1 << (amount * 2));
    client->may_lose |= !client->reads;
}

static void step_ask(struct run *run, unsigned amount)
{
    if (run->asks == MAX_ASKS)
        return;
    run->asks++;
    run_settle(run);
    asker_ask(&run->asker, (int)amount);
}

void steps_take(struct run *run, uint8_t step)
{
    static const size_t sizes[8] = {1, 2, 5, 17, 64, 300, 1500, SIZE_MAX};
    struct client *client = &run->clients[(step >> 3 & 3) % run->steered];
    unsigned amount = step >> 5;

    switch ((enum steps_kind)(step & 7)) {
    case STEPS_SEND:
        client_send(client, sizes[amount]);
        break;
    case STEPS_TURN:
        for (unsigned i = 0; i <= amount; i++)
            run_turn(run);
        break;
    case STEPS_RECEIVE:
        step_receive(client, amount);
        break;
    case STEPS_END:
        if (amount & 1)
            client_close(client);
        else
            client_half_close(client);
        break;
    case STEPS_WAIT:
        step_wait(run, amount);
        break;
    case STEPS_WORK:
        step_work(run, amount);
        break;
    case STEPS_ASK:
        step_ask(run, amount);
        break;
    case STEPS_EVENT:
        step_event(run, amount);
        break;
    }
}
