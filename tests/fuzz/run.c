#include "tests/fuzz/run.h"

#include <poll.h>

#include "tests/fuzz/expect.h"
#include "tests/fuzz/machine.h"

enum {
    MAX_TURNS = 2000, /* until all is quiet; more is a loop without an end */
    CHUNK = 3000,     /* bytes sent at a time at the end */
};

/* One system call for all clients, most of which have nothing to receive. */
static void receive(struct run *run)
{
    struct pollfd fds[RUN_MAX_CLIENTS + 1];

    for (int i = 0; i < run->count; i++)
        fds[i] = client_wait(&run->clients[i]);
    fds[run->count] = client_wait(&run->asker.client);
    if (poll(fds, (nfds_t)run->count + 1, 0) <= 0)
        return;
    for (int i = 0; i < run->count; i++)
        if (fds[i].revents)
            client_receive(&run->clients[i], SIZE_MAX);
    if (fds[run->count].revents)
        client_receive(&run->asker.client, SIZE_MAX);
}

void run_turn(struct run *run)
{
    world_turn(run->world);
    client_send(&run->asker.client, SIZE_MAX);
    receive(run);
}

/* What the machine has reported and clients have moved, so far. */
static uint64_t progress(const struct run *run)
{
    uint64_t sum = machine_event_count() + run->asker.client.moved;

    for (int i = 0; i < run->count; i++)
        sum += run->clients[i].moved;
    return sum;
}

void run_settle(struct run *run)
{
    uint64_t before;

    for (int turns = 0;; turns++) {
        EXPECT(turns < MAX_TURNS);
        before = progress(run);
        run_turn(run);
        if (progress(run) == before &&
            uv_backend_timeout(&run->world->loop.uv) != 0)
            return;
    }
}

void run_reload(struct run *run)
{
    if (run->reloaded)
        return;
    run->reloaded = true;
    served_models_reload(&run->world->service.jobs.models, &run->world->log);
}

void run_lose(struct run *run)
{
    for (int i = 0; i < run->count; i++)
        run->clients[i].may_lose = true;
    asker_may_lose(&run->asker);
}

/* Bytes that clients have to send, whom nothing keeps from it. */
static size_t left_to_send(const struct run *run)
{
    size_t left = run->asker.client.left;

    for (int i = 0; i < run->count; i++)
        if (run->clients[i].reads)
            left += run->clients[i].left;
    return left;
}

static bool work(struct run *run)
{
    bool worked = world_work(run->world);

    run_settle(run);
    return worked;
}

/* A client whose last reply was early may have more to send than the server
 * takes. */
void run_finish(struct run *run)
{
    size_t before, left = left_to_send(run);
    bool worked;

    do {
        before = left;
        for (int i = 0; i < run->count; i++)
            client_send(&run->clients[i], CHUNK);
        run_settle(run);
        worked = work(run);
        left = left_to_send(run);
    } while (worked || (left > 0 && left != before));
}

void run_check(struct run *run, uint64_t requests_before)
{
    uint64_t count = asker_check(&run->asker);

    for (int i = 0; i < run->count; i++) {
        client_close(&run->clients[i]);
        count += run->count_replies(&run->clients[i]);
        client_free(&run->clients[i]);
    }
    world_drain(run->world);
    /* A request line that cannot be read is no request, but is answered. */
    EXPECT(count <= world_request_count(run->world) - requests_before +
                        (uint64_t)run->count);
    world_reset(run->world);
}
