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

#include "tests/fuzz/expect.h"
#include "tests/fuzz/objects.h"
#include "tests/fuzz/replies.h"
#include "tests/fuzz/steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MARK = 0x1E };

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

        client_open(client, run->world, WORLD_HTTP, narrow);
        client->to_send = (const char *)start;
        client->left = (size_t)(take_until_mark(&at, end) - start);
        client->head_sent =
            client->left > 0 && memmem(start, client->left, "HEAD", 4);
    }
}

static uint64_t count_replies(const struct client *client)
{
    struct replies replies = {client->got, client->len, client->may_lose,
                              client->head_sent};
    struct reply reply;
    uint64_t count = 0;

    while (replies_next(&replies, &reply))
        count++;
    /* One may answer a request line without an end. */
    EXPECT(count <= client->lines + 1);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run = {.count_replies = count_replies};
    const uint8_t *at = data + 1, *end = data + size, *steps;
    uint64_t requests_before;

    if (size < 1)
        return 0;
    objects_reset();
    run.world = world_get((enum world_kind)(data[0] % WORLD_KINDS));
    run.count = run.steered = 1 + (data[0] >> 2) % RUN_MAX_CLIENTS;
    requests_before = world_request_count(run.world);
    asker_open(&run.asker, run.world);
    steps = take_until_mark(&at, end);
    open_clients(&run, at, end, data[0] & 0x80);
    for (at = data + 1; at < steps && at < data + 1 + STEPS_MOST; at++)
        steps_take(&run, *at);
    run_finish(&run);
    run_check(&run, requests_before);
    asker_expect_service(&run.asker);
    return 0;
}
