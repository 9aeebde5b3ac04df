/* Frames of HTTP/2 on the gRPC connections of a whole server (world.h), well
 * formed or not, cut up, mixed and delayed as the input says.
 *
 * The first byte of an input chooses the server, the number of its clients, and
 * how they connect; then come instructions. An instruction is a byte, a kind
 * and in the next 2 and 3 bits its client and which of its streams is meant;
 * its operands follow. It adds bytes to what the client is to send, or is a
 * step (steps.h). What no step has sent is sent at the end. Meanwhile two
 * clients ask for what they know the answer of, over HTTP (asker.h) and over
 * gRPC (caller.h). */
#include <stdint.h>

#include "api/grpc.h"
#include "tests/fuzz/caller.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/grpc_replies.h"
#include "tests/fuzz/objects.h"
#include "tests/fuzz/steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    CLIENTS = RUN_MAX_CLIENTS - 1, /* one is the caller's */
    MAX_INSTRUCTIONS = 200,
    MAX_CALLS = 3,     /* of the caller */
    OF_CONNECTION = 7, /* no stream */
};

/* Bits of an input's first byte. */
enum { HAS_NO_PREFACE = 0x20, IS_NARROW = 0x80 };

/* With their operands. */
enum kind {
    STEP,     /* the step */
    HEADERS,  /* of a new stream: index of the method, enum frames_field */
    TRAILERS, /* the same, of a stream that was opened */
    MESSAGE,  /* enum message_bit, length, bytes */
    INFER,    /* enum message_bit, and in the upper 3 bits the size */
    FRAME,    /* type, flags, length, bytes */
    RAW,      /* length, bytes: no frame */
    CALL,     /* the caller infers; which is known */
};

enum message_bit {
    MESSAGE_ENDS = 1,
    MESSAGE_FLAG = 2,  /* is compressed, as it says */
    MESSAGE_WHOLE = 4, /* in one frame */
    MESSAGE_WRONG = 8, /* its flag is neither 0 nor 1 */
    MESSAGE_TYPED = 8, /* an inference's */
};

struct input {
    const uint8_t *at, *end;
    struct run run;
    struct frames *frames;     /* of each client */
    uint32_t streams[CLIENTS]; /* that each has opened */
    struct caller caller;
    int steps, calls;
};

/* 0 behind the end. */
static uint8_t take(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

/* `*len` bytes, or as many as there are. */
static const uint8_t *take_bytes(struct input *input, size_t *len)
{
    const uint8_t *start = input->at;

    if (*len > (size_t)(input->end - input->at))
        *len = (size_t)(input->end - input->at);
    input->at += *len;
    return start;
}

/* The newest stream is 0; none that was not opened. */
static uint32_t stream_of(const struct input *input, int client, unsigned which)
{
    uint32_t opened = input->streams[client];

    if (which == OF_CONNECTION || opened == 0)
        return which == OF_CONNECTION ? 0 : 1;
    return 2 * (opened - which % opened) - 1;
}

static const char *path_of(uint8_t index)
{
    const struct api_grpc_method *method = api_grpc_at(index);

    return method ? method->path : "/nothing";
}

static void add_headers(struct input *input, int client, uint32_t stream)
{
    const char *path = path_of(take(input));

    frames_add_headers(&input->frames[client], stream, path, take(input));
}

static void add_message(struct input *input, int client, uint32_t stream)
{
    uint8_t bits = take(input);
    unsigned flag = bits & MESSAGE_WRONG ? 2 : (bits & MESSAGE_FLAG) != 0;
    size_t len = take(input);
    const uint8_t *message = take_bytes(input, &len);

    frames_add_message(&input->frames[client], stream,
                       &(struct frames_message){message, len, flag,
                                                bits & MESSAGE_WHOLE,
                                                bits & MESSAGE_ENDS});
}

static void add_infer(struct input *input, int client, uint32_t stream)
{
    static const size_t sizes[8] = {0, 1, 4, 150, 3000, 20000, 70000, 200000};
    static char message[FRAMES_MOST];
    uint8_t bits = take(input);
    size_t size = sizes[bits >> 5], len;

    if (4 * size > FRAMES_MOST - input->frames[client].len)
        return; /* would not fit, and takes long to write */
    len = frames_infer(message, size, !(bits & MESSAGE_TYPED));
    frames_add_message(&input->frames[client], stream,
                       &(struct frames_message){message, len, 0,
                                                bits & MESSAGE_WHOLE,
                                                bits & MESSAGE_ENDS});
}

static void add_frame(struct input *input, int client, uint32_t stream)
{
    enum frames_type type = (enum frames_type)take(input);
    uint8_t flags = take(input);
    size_t len = take(input);
    const uint8_t *payload = take_bytes(input, &len);

    frames_add(&input->frames[client],
               &(struct frame){type, flags, stream, payload, len});
}

static void add_raw(struct input *input, int client)
{
    size_t len = take(input);
    const uint8_t *bytes = take_bytes(input, &len);

    frames_put(&input->frames[client], bytes, len);
}

/* Adds to a client's bytes. */
static void add(struct input *input, enum kind kind, int at, unsigned which)
{
    struct client *client = &input->run.clients[at];
    size_t before = input->frames[at].len;

    switch (kind) {
    case HEADERS:
        add_headers(input, at, 2 * ++input->streams[at] - 1);
        break;
    case TRAILERS:
        add_headers(input, at, stream_of(input, at, which));
        break;
    case MESSAGE:
        add_message(input, at, stream_of(input, at, which));
        break;
    case INFER:
        add_infer(input, at, stream_of(input, at, which));
        break;
    case FRAME:
        add_frame(input, at, stream_of(input, at, which));
        break;
    case RAW:
        add_raw(input, at);
        break;
    case STEP:
    case CALL:
        break;
    }
    client->left += input->frames[at].len - before;
}

static void instruct(struct input *input)
{
    uint8_t byte = take(input);
    enum kind kind = (enum kind)(byte & 7);

    if (kind == STEP) {
        uint8_t step = take(input);

        if (input->steps++ < STEPS_MOST)
            steps_take(&input->run, step);
    } else if (kind == CALL) {
        if (input->calls++ < MAX_CALLS)
            caller_call(&input->caller, byte >> 5);
    } else {
        add(input, kind, (byte >> 3 & 3) % input->run.steered, byte >> 5);
    }
}

static void open_clients(struct input *input, uint8_t how)
{
    static struct frames frames[CLIENTS];
    struct run *run = &input->run;

    input->frames = frames;
    run->steered = 1 + (how >> 2 & 7) % CLIENTS;
    run->count = run->steered + 1;
    for (int i = 0; i < run->steered; i++) {
        struct client *client = &run->clients[i];

        frames[i].len = 0;
        if (i > 0 || !(how & HAS_NO_PREFACE))
            frames_open(&frames[i]);
        client_open(client, run->world, WORLD_GRPC, how & IS_NARROW);
        client->to_send = frames[i].data;
        client->left = frames[i].len;
    }
    input->caller = (struct caller){.world = run->world,
                                    .client = &run->clients[run->steered]};
    input->caller.client->fd = -1;
}

/* A reply to a stream that was counted as a request: with a message, or with
 * an error. */
static uint64_t count_replies(const struct client *client)
{
    struct grpc_replies replies = grpc_replies_read_all(client);
    uint64_t count = 0;

    for (size_t i = 0; i < replies.count; i++)
        count += replies.all[i].len > 0 || replies.all[i].code > 0;
    grpc_replies_free(&replies);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {.at = data + 1, .end = data + size};
    struct run *run = &input.run;
    uint64_t requests_before;

    if (size < 1)
        return 0;
    objects_reset();
    run->count_replies = count_replies;
    run->world = world_get((enum world_kind)(data[0] % 4 % WORLD_ADMIN));
    requests_before = world_request_count(run->world);
    asker_open(&run->asker, run->world);
    open_clients(&input, data[0]);
    for (int i = 0; i < MAX_INSTRUCTIONS && input.at < input.end; i++)
        instruct(&input);
    run_finish(run);
    caller_check(&input.caller);
    run_check(run, requests_before);
    caller_expect_service(run->world);
    asker_expect_service(&run->asker);
    return 0;
}
