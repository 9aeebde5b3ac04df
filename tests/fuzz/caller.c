#include "tests/fuzz/caller.h"

#include "api/grpc.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/grpc_replies.h"

enum { STREAM = 1, KNOWN_COUNT = 4, LAST_TURNS = 200 };

static const struct {
    size_t count; /* elements */
    bool raw, whole;
} knowns[KNOWN_COUNT] = {
    {4, true, true},
    {150, false, false},
    {3000, true, false},
    {70000, true, true}, /* received straight into its message */
};

static bool is_answered(const struct client *client)
{
    struct grpc_replies replies = grpc_replies_read(client);
    const struct grpc_reply *reply = grpc_replies_find(&replies, STREAM);
    bool answered = reply && (reply->ended || reply->reset);

    grpc_replies_free(&replies);
    return answered;
}

/* Whether the code is one that an honest call may get. */
static bool may_be(const struct caller *caller, int code)
{
    return code == API_GRPC_UNAVAILABLE ||
           (caller->world->kind == WORLD_NARROW &&
            code == API_GRPC_RESOURCE_EXHAUSTED) ||
           (caller->may_lose && code == API_GRPC_DEADLINE_EXCEEDED);
}

static void check_answer(const struct caller *caller,
                         const struct grpc_reply *reply)
{
    size_t count = knowns[caller->known].count;
    const char *end = reply->data + reply->len;

    EXPECT(reply->len > FRAMES_PREFIX + count);
    for (size_t i = 0; i < count; i++)
        if ((unsigned char)end[-1 - (ptrdiff_t)i] != frames_value(i))
            expect(false, "the tensor is reversed");
}

void caller_check(struct caller *caller)
{
    struct client *client = caller->client;
    struct grpc_replies replies = grpc_replies_read_all(client);
    const struct grpc_reply *reply = grpc_replies_find(&replies, STREAM);

    caller->may_lose |= client->may_lose;
    if (client->fd >= 0 && (!reply || !reply->ended || reply->reset))
        EXPECT(caller->may_lose);
    else if (reply && reply->code == API_GRPC_OK)
        check_answer(caller, reply);
    else if (reply)
        EXPECT(may_be(caller, reply->code));
    grpc_replies_free(&replies);
    client_close(client);
    client_free(client);
}

static void write_call(struct frames *frames, unsigned known)
{
    static char message[FRAMES_MOST];
    size_t count = knowns[known].count;
    size_t len = frames_infer(message, count, knowns[known].raw);

    frames->len = 0;
    frames_open(frames);
    frames_add_headers(frames, STREAM,
                       "/inference.GRPCInferenceService/ModelInfer",
                       FRAMES_KEYS);
    frames_add_message(
        frames, STREAM,
        &(struct frames_message){message, len, 0, knowns[known].whole, true});
}

static const struct frames *known_frames(unsigned known)
{
    static struct frames all[KNOWN_COUNT];

    if (all[known].len == 0)
        write_call(&all[known], known);
    return &all[known];
}

void caller_call(struct caller *caller, unsigned known)
{
    struct client *client = caller->client;

    if (client->fd >= 0 && !client->ended && !is_answered(client))
        return;
    caller_check(caller);
    client_open(client, caller->world, WORLD_GRPC, false);
    client->may_lose = caller->may_lose;
    if (client->fd < 0)
        return;
    caller->known = known % KNOWN_COUNT;
    client->to_send = known_frames(caller->known)->data;
    client->left = known_frames(caller->known)->len;
    client_send(client, SIZE_MAX);
}

void caller_expect_service(struct world *world)
{
    struct client client = {.fd = -1};
    struct caller caller = {.world = world, .client = &client};

    caller_call(&caller, 0);
    for (int i = 0; i < LAST_TURNS && !is_answered(&client); i++) {
        world_turn(world);
        world_work(world);
        client_receive(&client, SIZE_MAX);
    }
    EXPECT(is_answered(&client));
    caller_check(&caller);
    EXPECT(!caller.may_lose);
    world_drain(world);
}
