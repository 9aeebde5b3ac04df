#include "tests/server/grpc/grpc_case.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/grpc/call.h"
#include "tests/fuzz/grpc_replies.h"
#include "tests/fuzz/machine.h"

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72
#endif

enum { TURNS = 6, SPACE = 1 << 16 };

/* Longer than a job waits in any test. */
#define LONG_NS (UINT64_C(100) * 1000000000)

struct grpc_case grpc_case;

static struct options defaults;
static uint64_t counted[METRICS_CODES]; /* before */

static struct port *port_of_world(void)
{
    return grpc_case.world->loop.connections.ports[LOOP_GRPC].state;
}

struct options *grpc_case_options(void)
{
    return &grpc_case.world->options;
}

struct session *grpc_case_session(void)
{
    return TAILQ_FIRST(&port_of_world()->sessions);
}

static const struct call *find(uint32_t id)
{
    const struct session *session = grpc_case_session();
    const struct stream *stream;

    if (!session)
        return NULL;
    LIST_FOREACH(stream, &session->streams, link)
    {
        if ((uint32_t)stream->id == id)
            return &stream->call;
    }
    return NULL;
}

enum case_stage grpc_case_stage(uint32_t stream)
{
    static const enum case_stage stages[] = {
        [CALL_OPEN] = CASE_OPENED,       [CALL_RECEIVING] = CASE_RECEIVING,
        [CALL_RUNNING] = CASE_RUNNING,   [CALL_SENDING] = CASE_SENDING,
        [CALL_WATCHING] = CASE_WATCHING, [CALL_LAST] = CASE_LAST,
        [CALL_ENDING] = CASE_ENDING,
    };
    const struct call *call = find(stream);

    return call ? stages[call->stage] : CASE_NONE;
}

enum case_link grpc_case_link(void)
{
    static const enum case_link links[] = {
        [SESSION_SERVES] = LINK_SERVES,
        [SESSION_NOTICED] = LINK_NOTICED,
        [SESSION_ACKNOWLEDGED] = LINK_ACKNOWLEDGED,
        [SESSION_LEAVING] = LINK_LEAVING,
        [SESSION_FLOODED] = LINK_FLOODED,
        [SESSION_ENDED] = LINK_ENDED,
    };
    const struct session *session = grpc_case_session();
    const struct connection_list *list = &grpc_case.world->loop.connections;

    if (!TAILQ_EMPTY(&list->queues[CONNECTION_SEND]) ||
        !TAILQ_EMPTY(&list->queues[CONNECTION_LINGER]))
        return LINK_LINGERS;
    if (session && session->stage != SESSION_OPENING)
        return links[session->stage];
    return session ? LINK_SILENT : LINK_NONE;
}

/* A worker's job has a message; what is on its way out has a head in front; the
 * output counts no bytes that it does not hold. */
static void check_stream(const struct stream *stream)
{
    const struct call *call = &stream->call;

    ck_assert_int_lt(call->stage, CALL_SENT);
    ck_assert(!stream->closed);
    if (call->stage == CALL_SENDING)
        ck_assert(stream->offered);
    if (call->stage == CALL_RUNNING || call->stage == CALL_SENDING ||
        call->stage == CALL_WATCHING)
        ck_assert(call_has_whole(call));
    if (call->stage == CALL_RUNNING || call->in.backlog.len > 0)
        ck_assert_uint_gt(call->exchange.task.job.times.whole, 0);
    else if (call->stage <= CALL_RECEIVING)
        ck_assert_uint_eq(call->exchange.task.job.times.whole, 0);
    if (call_has_out(call) && stream->session->stage < SESSION_FLOODED)
        ck_assert(stream->started);
    if (call->stage == CALL_OPEN)
        ck_assert(call->in.message.arrived_ns == 0 && !stream->started);
    if (call->stage == CALL_RECEIVING)
        ck_assert_uint_eq(call->unsent, 0);
    ck_assert_uint_le(call->unsent, stream->session->output.bytes);
    if (call->in.backlog.len > 0)
        ck_assert(call_is_stream(call));
}

static void check_session(const struct session *session)
{
    const struct stream *stream;
    bool has_data_stream = !session->data.stream;
    size_t count = 0;

    LIST_FOREACH(stream, &session->streams, link)
    {
        check_stream(stream);
        count++;
        has_data_stream |= session->data.stream == stream;
    }
    ck_assert(has_data_stream);
    ck_assert_uint_ge(session->living, count);
    if (session->stage == SESSION_ENDED)
        ck_assert(count == 0 && session->living > 0);
    if (session->stage == SESSION_ENDED)
        ck_assert(!session->state.protocol ||
                  session->state.stage == CONNECTION_ENDING);
    else if (session->headers.open)
        ck_assert_int_eq(session->state.stage, CONNECTION_HEADERS);
    else if (count > 0)
        ck_assert_int_eq(session->state.stage, CONNECTION_WORK);
}

static void turn(void)
{
    const struct session *session;

    world_turn(grpc_case.world);
    TAILQ_FOREACH(session, &port_of_world()->sessions, link)
    {
        check_session(session);
    }
}

void grpc_case_send(void)
{
    struct client *client = &grpc_case.client;

    client->to_send = grpc_case.frames.data;
    client->left = grpc_case.frames.len;
    grpc_case.frames.len = 0;
    for (int i = 0; i < TURNS || client->left > 0; i++) {
        client_send(client, SPACE);
        turn();
    }
}

void grpc_case_receive(void)
{
    struct client *client = &grpc_case.client;

    for (size_t before = 1, i = 0; i < TURNS || before < client->moved; i++) {
        before = client->moved;
        turn();
        client_receive(client, SIZE_MAX);
    }
}

void grpc_case_work(void)
{
    while (world_work(grpc_case.world))
        continue;
}

void grpc_case_wait(uint64_t ms)
{
    for (uint64_t passed = 0; passed < ms; passed += 100) {
        machine_advance_ms(ms - passed < 100 ? ms - passed : 100);
        turn();
        turn();
    }
}

static void connect_client(bool narrow)
{
    client_open(&grpc_case.client, grpc_case.world, WORLD_GRPC, narrow);
    ck_assert_int_ge(grpc_case.client.fd, 0);
    grpc_case.frames.len = 0;
}

void grpc_case_reconnect(bool narrow)
{
    client_close(&grpc_case.client);
    client_free(&grpc_case.client);
    world_drain(grpc_case.world);
    connect_client(narrow);
    turn();
}

static bool kernel_sizes_buffers(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), locks = 0;
    bool does =
        setsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &locks, sizeof(locks)) == 0;

    close(fd);
    return does;
}

bool grpc_case_leave_unread(uint32_t stream, size_t count)
{
    if (!kernel_sizes_buffers()) {
        puts("skipped: a reply in the output, for SO_BUF_LOCK is missing");
        return false;
    }
    grpc_case_reconnect(true);
    frames_open(&grpc_case.frames);
    grpc_case_headers(stream, CASE_INFER, 0);
    grpc_case_message(stream, count, true);
    grpc_case_send();
    grpc_case_work();
    grpc_case_send();
    return true;
}

static void read_counted(uint64_t to[METRICS_CODES])
{
    const struct metrics *metrics = &grpc_case.world->loop.context.metrics;

    for (int code = 0; code < METRICS_CODES; code++) {
        to[code] = 0;
        for (int route = 0; route < METRICS_ROUTES; route++)
            to[code] += atomic_load(&metrics->requests[route][code]);
    }
}

void grpc_case_start(void)
{
    grpc_case.world = world_get(WORLD_OPEN);
    defaults = grpc_case.world->options;
    grpc_case_options()->inline_limit = 0;
    grpc_case.world->service.workers.queue.settings.max_delay_ns = LONG_NS;
    grpc_case.requests = world_request_count(grpc_case.world);
    read_counted(counted);
    connect_client(false);
    frames_open(&grpc_case.frames);
    grpc_case_send();
}

void grpc_case_end(void)
{
    client_close(&grpc_case.client);
    client_free(&grpc_case.client);
    world_drain(grpc_case.world);
    world_reset(grpc_case.world);
    grpc_case.world->options = defaults;
}

void grpc_case_headers(uint32_t stream, const char *path, unsigned fields)
{
    frames_add_headers(&grpc_case.frames, stream, path, fields);
}

void grpc_case_frame(enum frames_type type, unsigned flags, uint32_t stream,
                     const void *payload, size_t len)
{
    frames_add(&grpc_case.frames,
               &(struct frame){type, flags, stream, payload, len});
}

void grpc_case_reset(uint32_t stream)
{
    grpc_case_frame(FRAMES_RST_STREAM, 0, stream, "\0\0\0\10", 4);
}

void grpc_case_half_close(uint32_t stream)
{
    grpc_case_frame(FRAMES_DATA, FRAMES_END_STREAM, stream, NULL, 0);
}

void grpc_case_part(uint32_t stream, size_t count, size_t from, size_t to)
{
    static char message[FRAMES_MOST];
    size_t len = frames_infer(message + FRAMES_PREFIX, count, true), part;

    message[0] = 0;
    for (int i = 0; i < 4; i++)
        message[1 + i] = (char)(len >> (24 - 8 * i) & 0xFF);
    len += FRAMES_PREFIX;
    for (len = to < len ? to : len; from < len; from += part) {
        part = len - from < FRAMES_SIZE ? len - from : FRAMES_SIZE;
        grpc_case_frame(FRAMES_DATA, 0, stream, message + from, part);
    }
}

void grpc_case_message(uint32_t stream, size_t count, bool ends)
{
    grpc_case_part(stream, count, 0, SIZE_MAX);
    if (ends)
        grpc_case_half_close(stream);
}

/* Frames that the client has received: calls `see` for each. */
static void each_frame(void (*see)(const unsigned char *frame, void *context),
                       void *context)
{
    const unsigned char *at = (unsigned char *)grpc_case.client.got;
    size_t left = grpc_case.client.len, len;

    while (left >= FRAMES_HEAD) {
        len = FRAMES_HEAD +
              ((size_t)at[0] << 16 | (size_t)at[1] << 8 | (size_t)at[2]);
        if (len > left)
            return;
        see(at, context);
        at += len;
        left -= len;
    }
}

struct search {
    enum frames_type type;
    int count;
    const unsigned char *last;
    uint32_t stream; /* 0: any */
};

static uint32_t number_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

static void compare(const unsigned char *frame, void *context)
{
    struct search *search = context;

    if (frame[3] != search->type ||
        (search->stream > 0 && number_at(frame + 5) != search->stream))
        return;
    search->count++;
    search->last = frame;
}

static struct search search(enum frames_type type, uint32_t stream)
{
    struct search search = {.type = type, .stream = stream};

    each_frame(compare, &search);
    return search;
}

int grpc_case_count(enum frames_type type)
{
    return search(type, 0).count;
}

int grpc_case_goaway(void)
{
    const unsigned char *last = search(FRAMES_GOAWAY, 0).last;

    return last ? (int)number_at(last + FRAMES_HEAD + 4) : -1;
}

uint32_t grpc_case_last_stream(void)
{
    const unsigned char *last = search(FRAMES_GOAWAY, 0).last;

    return last ? number_at(last + FRAMES_HEAD) : 0;
}

int grpc_case_reset_code(uint32_t stream)
{
    const unsigned char *last = search(FRAMES_RST_STREAM, stream).last;

    return last ? (int)number_at(last + FRAMES_HEAD) : -1;
}

void grpc_case_acknowledge(void)
{
    const unsigned char *last = search(FRAMES_PING, 0).last;

    ck_assert_ptr_nonnull(last);
    grpc_case_frame(FRAMES_PING, FRAMES_ACK, 0, last + FRAMES_HEAD, 8);
}

static struct grpc_reply reply_of(uint32_t stream)
{
    struct grpc_replies replies = grpc_replies_read(&grpc_case.client);
    const struct grpc_reply *found = grpc_replies_find(&replies, stream);
    struct grpc_reply reply = {.code = -1};

    if (found)
        reply = *found;
    reply.data = NULL;
    grpc_replies_free(&replies);
    return reply;
}

int grpc_case_code(uint32_t stream)
{
    return reply_of(stream).code;
}

int grpc_case_status(uint32_t stream)
{
    return reply_of(stream).status;
}

int grpc_case_messages(uint32_t stream)
{
    struct grpc_replies replies = grpc_replies_read(&grpc_case.client);
    const struct grpc_reply *reply = grpc_replies_find(&replies, stream);
    size_t at = 0, len = reply ? reply->len : 0;
    int count = 0;

    for (; at + FRAMES_PREFIX <= len; count++) {
        at += FRAMES_PREFIX + number_at((unsigned char *)reply->data + at + 1);
        if (at > len)
            break;
    }
    grpc_replies_free(&replies);
    return count;
}

uint64_t grpc_case_requests(void)
{
    return world_request_count(grpc_case.world) - grpc_case.requests;
}

uint64_t grpc_case_counted(int status)
{
    uint64_t now[METRICS_CODES];

    read_counted(now);
    for (int i = 0; i < METRICS_CODES; i++)
        if (metrics_codes[i] == status)
            return now[i] - counted[i];
    return 0;
}

void grpc_case_expect_service(uint32_t stream)
{
    grpc_case_headers(stream, CASE_INFER, 0);
    grpc_case_message(stream, CASE_SMALL, true);
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(stream), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_messages(stream), 1);
    ck_assert_int_eq(grpc_case_stage(stream), CASE_NONE);
}
