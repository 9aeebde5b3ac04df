/* Any bytes on the connections of a whole server (world.h), cut up, mixed and
 * delayed as the input says.
 *
 * The first byte of an input chooses the server and the number of its clients,
 * then come the steps, one byte each, up to the first byte 0x1E; then the bytes
 * that each client sends, with 0x1E between two. What no step has sent is sent
 * at the end. Between the steps a client of its own asks for what it knows the
 * answer of (known.h). */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/objects.h"
#include "tests/fuzz/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MARK = 0x1E,
    MAX_STEPS = 80,
    MAX_ASKS = 5,
};

/* Short inputs, for many of them: what needs more steps is reached by another
 * one too. A step is a kind, and in the next 2 and 3 bits its client and its
 * amount. */
enum step {
    SEND,
    TURN,
    RECEIVE, /* amount 0: the client stops reading; 1: it reads again */
    END,     /* its half of the connection, or with an odd amount both */
    WAIT,
    WORK,
    ASK,
    EVENT,
};

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
    if (amount < SCHEDULE_LANES)
        workers_run_one(&run->world->service.jobs.workers,
                        (enum schedule_kind)amount);
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
        kept_buffers_trim(&jobs->buffer_pool.kept, 0);
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

static void take_step(struct run *run, uint8_t step)
{
    static const size_t sizes[8] = {1, 2, 5, 17, 64, 300, 1500, SIZE_MAX};
    struct client *client = &run->clients[(step >> 3 & 3) % run->count];
    unsigned amount = step >> 5;

    switch ((enum step)(step & 7)) {
    case SEND:
        client_send(client, sizes[amount]);
        break;
    case TURN:
        for (unsigned i = 0; i <= amount; i++)
            run_turn(run);
        break;
    case RECEIVE:
        step_receive(client, amount);
        break;
    case END:
        if (amount & 1)
            client_close(client);
        else
            client_half_close(client);
        break;
    case WAIT:
        step_wait(run, amount);
        break;
    case WORK:
        step_work(run, amount);
        break;
    case ASK:
        step_ask(run, amount);
        break;
    case EVENT:
        step_event(run, amount);
        break;
    }
}

static const uint8_t *take_until_mark(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *start = *at;
    const uint8_t *mark =
        start < end ? memchr(start, MARK, (size_t)(end - start)) : NULL;

    *at = mark ? mark + 1 : end;
    return mark ? mark : end;
}

static void open_clients(struct run *run, const uint8_t *at, const uint8_t *end,
                         bool narrow)
{
    for (int i = 0; i < run->count; i++) {
        struct client *client = &run->clients[i];
        const uint8_t *start = at;

        client_open(client, run->world, narrow);
        client->to_send = (const char *)start;
        client->left = (size_t)(take_until_mark(&at, end) - start);
        client->head_sent =
            client->left > 0 && memmem(start, client->left, "HEAD", 4);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run = {.count = 1};
    const uint8_t *at = data + 1, *end = data + size, *steps;
    uint64_t requests_before;

    if (size < 1)
        return 0;
    objects_reset();
    run.world = world_get((enum world_kind)(data[0] % WORLD_KINDS));
    run.count = 1 + (data[0] >> 2) % RUN_MAX_CLIENTS;
    requests_before = world_request_count(run.world);
    asker_open(&run.asker, run.world);
    steps = take_until_mark(&at, end);
    open_clients(&run, at, end, data[0] & 0x80);
    for (at = data + 1; at < steps && at < data + 1 + MAX_STEPS; at++)
        take_step(&run, *at);
    run_finish(&run);
    run_check(&run, requests_before);
    asker_expect_service(&run.asker);
    return 0;
}
