#include "tests/fuzz/asker.h"

#include "tests/fuzz/expect.h"
#include "tests/fuzz/known.h"

enum { LAST_TURNS = 200 };

void asker_open(struct asker *asker, struct world *world)
{
    *asker = (struct asker){.world = world, .client = {.fd = -1}};
}

/* Another status than 200 that an honest request may get. */
static bool may_be(const struct asker *asker, int status)
{
    return status == 503 ||
           (asker->world->kind == WORLD_NARROW && status == 413) ||
           (asker->world->kind == WORLD_ADMIN && status == 404) ||
           (asker->may_lose && (status == 408 || status == 504)) ||
           (asker->world->kind != WORLD_OPEN && status == 404);
}

static void check_reply(struct asker *asker, int index,
                        const struct reply *reply)
{
    EXPECT(index < asker->count);
    if (reply->status == 200)
        known_check(known_get(asker->asked[index]), reply);
    else
        EXPECT(may_be(asker, reply->status));
}

static void check_replies(struct asker *asker)
{
    struct client *client = &asker->client;
    struct replies replies = {client->got, client->len, asker->may_lose, false};
    struct reply reply;
    int count = 0;
    size_t len;
    bool closes = false; /* requests that were sent behind it are lost */

    while (replies_next(&replies, &reply)) {
        EXPECT(!closes);
        check_reply(asker, count++, &reply);
        closes = reply_header(&reply, "Connection", &len) != NULL;
    }
    EXPECT(count == asker->count || closes || asker->may_lose);
    asker->reply_count += (uint64_t)count;
    asker->count = 0;
    client_close(client);
    client_free(client);
}

void asker_ask(struct asker *asker, int known)
{
    struct client *client = &asker->client;

    if (client->ended)
        check_replies(asker);
    if (client->fd < 0)
        client_open(client, asker->world, WORLD_HTTP, false);
    if (client->fd < 0 || client->left > 0 || asker->count == ASKER_MAX)
        return;
    asker->asked[asker->count++] = known;
    client->to_send = known_get(known)->request;
    client->left = known_get(known)->len;
    client_send(client, SIZE_MAX);
}

void asker_may_lose(struct asker *asker)
{
    asker->may_lose = true;
}

uint64_t asker_check(struct asker *asker)
{
    check_replies(asker);
    return asker->reply_count;
}

void asker_expect_service(struct asker *asker)
{
    struct client *client = &asker->client;
    struct reply reply;

    asker->may_lose = false;
    asker_ask(asker, asker->world->kind == WORLD_ADMIN ? KNOWN_LIVE : 1);
    for (int i = 0; i < LAST_TURNS && client->len == 0; i++) {
        world_turn(asker->world);
        world_work(asker->world);
        client_send(client, SIZE_MAX);
        client_receive(client, SIZE_MAX);
    }
    EXPECT(replies_next(
        &(struct replies){client->got, client->len, false, false}, &reply));
    EXPECT(reply.status == 200);
    check_replies(asker);
    world_drain(asker->world);
    world_reset(asker->world);
}
