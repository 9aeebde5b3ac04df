#include "tests/server/grpc/grpc_case.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/grpc/call.h"
#include "tests/count.h"
#include "tests/fuzz/grpc_replies.h"
#include "tests/fuzz/machine.h"

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72
#endif

enum { TURNS = 6, SPACE = 1 << 16 };

/* Longer than a job waits in any test. */
#define LONG_NS (UINT64_C(100) * 1000000000)

struct grpc_case grpc_case;

static char rest[1 << 12]; /* of a header block */
static size_t rest_len;

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

int grpc_case_stage(uint32_t stream)
{
    const struct call *call = find(stream);

    return call ? (int)call->stage : CASE_NONE;
}

int grpc_case_link(void)
{
    const struct session *session = grpc_case_session();
    const struct connection_list *list = &grpc_case.world->loop.connections;

    if (!TAILQ_EMPTY(&list->queues[CONNECTION_SEND]) ||
        !TAILQ_EMPTY(&list->queues[CONNECTION_LINGER]))
        return CASE_LINGERS;
    return session ? (int)session->stage : CASE_NONE;
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

void grpc_case_ask(void)
{
    grpc_case_send();
    grpc_case_receive();
}

void grpc_case_answer(void)
{
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
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

void grpc_case_reopen(bool narrow)
{
    grpc_case_reconnect(narrow);
    frames_open(&grpc_case.frames);
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
    grpc_case_reopen(true);
    grpc_case_headers(stream, CASE_INFER, 0);
    grpc_case_message(stream, count, true);
    grpc_case_send();
    grpc_case_work();
    grpc_case_send();
    return true;
}

void grpc_case_start(void)
{
    grpc_case.world = world_get(WORLD_OPEN);
    grpc_case_options()->inline_limit = 0;
    grpc_case.world->service.workers.queue.settings.max_delay_ns = LONG_NS;
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
}

void grpc_case_headers(uint32_t stream, const char *path, unsigned fields)
{
    frames_add_headers(&grpc_case.frames, stream, path, fields);
}

void grpc_case_half_headers(uint32_t stream, unsigned fields)
{
    struct frames *frames = &grpc_case.frames;
    size_t from = frames->len, half;
    const unsigned char *head = (unsigned char *)frames->data + from;

    grpc_case_headers(stream, CASE_INFER, fields | FRAMES_SPLIT);
    half = from + FRAMES_HEAD + ((size_t)head[1] << 8 | head[2]);
    rest_len = frames->len - half;
    ck_assert_uint_le(rest_len, sizeof(rest));
    memcpy(rest, frames->data + half, rest_len);
    frames->len = half;
}

void grpc_case_rest_of_headers(void)
{
    frames_put(&grpc_case.frames, rest, rest_len);
}

void grpc_case_field(uint32_t stream, const char *path, const char *name,
                     const char *value)
{
    const char *fields[][2] = {
        {":method", "POST"},
        {":scheme", "http"},
        {":path", path},
        {":authority", "f"},
        {"content-type", "application/grpc"},
        {name, value},
    };
    int at = 0;

    while (strcmp(fields[at][0], name) != 0)
        at++;
    fields[COUNT(fields) - 1][1] = NULL;
    fields[at][1] = value;
    frames_add_fields(&grpc_case.frames, stream, fields, COUNT(fields));
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

void grpc_case_call(uint32_t stream)
{
    grpc_case_headers(stream, CASE_INFER, 0);
    grpc_case_message(stream, CASE_SMALL, true);
}

static uint32_t number_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

/* The last frame of the type that the client has received, of the stream or, 0,
 * of any; NULL: none. Counts all of them. */
static const unsigned char *find_last(enum frames_type type, uint32_t stream,
                                      int *count)
{
    const unsigned char *at = (unsigned char *)grpc_case.client.got;
    const unsigned char *last = NULL;
    size_t left = grpc_case.client.len, len;

    *count = 0;
    for (; left >= FRAMES_HEAD; at += len, left -= len) {
        len = FRAMES_HEAD + (number_at(at) >> 8);
        if (len > left)
            break;
        if (at[3] != type || (stream > 0 && number_at(at + 5) != stream))
            continue;
        (*count)++;
        last = at;
    }
    return last;
}

/* A number in its payload; -1: there is no such frame. */
static int number_in_last(enum frames_type type, uint32_t stream, size_t at)
{
    int count;
    const unsigned char *last = find_last(type, stream, &count);

    return last ? (int)number_at(last + FRAMES_HEAD + at) : -1;
}

int grpc_case_count(enum frames_type type)
{
    int count;

    find_last(type, 0, &count);
    return count;
}

int grpc_case_goaway(void)
{
    return number_in_last(FRAMES_GOAWAY, 0, 4);
}

uint32_t grpc_case_last_stream(void)
{
    return (uint32_t)number_in_last(FRAMES_GOAWAY, 0, 0);
}

int grpc_case_reset_code(uint32_t stream)
{
    return number_in_last(FRAMES_RST_STREAM, stream, 0);
}

void grpc_case_acknowledge(void)
{
    int count;
    const unsigned char *last = find_last(FRAMES_PING, 0, &count);

    ck_assert_ptr_nonnull(last);
    grpc_case_frame(FRAMES_PING, FRAMES_ACK, 0, last + FRAMES_HEAD, 8);
}

/* What has come of the stream's reply; until the next call. */
static const struct grpc_reply *reply_of(uint32_t stream)
{
    static const struct grpc_reply none = {.code = -1};
    static struct grpc_replies replies;
    const struct grpc_reply *found;

    grpc_replies_free(&replies);
    replies = grpc_replies_read(&grpc_case.client);
    found = grpc_replies_find(&replies, stream);
    return found ? found : &none;
}

int grpc_case_code(uint32_t stream)
{
    return reply_of(stream)->code;
}

int grpc_case_status(uint32_t stream)
{
    return reply_of(stream)->status;
}

/* Messages of a reply, all or those that say that they are compressed. */
static int count_messages(uint32_t stream, bool compressed)
{
    const struct grpc_reply *reply = reply_of(stream);
    size_t next;
    int count = 0;

    for (size_t at = 0; at + FRAMES_PREFIX <= reply->len; at = next) {
        const unsigned char *prefix = (unsigned char *)reply->data + at;

        next = at + FRAMES_PREFIX + number_at(prefix + 1);
        count += next <= reply->len && (!compressed || *prefix == 1);
    }
    return count;
}

int grpc_case_messages(uint32_t stream)
{
    return count_messages(stream, false);
}

int grpc_case_compressed(uint32_t stream)
{
    return count_messages(stream, true);
}

void grpc_case_expect_field(uint32_t stream, const char *field, bool is_there)
{
    const char *fields = reply_of(stream)->fields;

    ck_assert_msg((strstr(fields, field) != NULL) == is_there, "%s in:\n%s",
                  field, fields);
}

void grpc_case_expect_data(uint32_t stream, const char *data, size_t len)
{
    const struct grpc_reply *reply = reply_of(stream);

    ck_assert_uint_eq(reply->len, len);
    ck_assert_mem_eq(reply->data, data, len);
}

void grpc_case_expect_tensor(uint32_t stream, size_t count)
{
    const struct grpc_reply *reply = reply_of(stream);

    ck_assert_int_eq(reply->code, API_GRPC_OK);
    ck_assert_uint_gt(reply->len, count);
    for (size_t i = 0; i < count; i++)
        if ((unsigned char)reply->data[reply->len - 1 - i] != frames_value(i))
            ck_abort_msg("element %zu from the end", i);
}

void grpc_case_expect_end(uint32_t stream, int code, int messages)
{
    ck_assert_int_eq(grpc_case_code(stream), code);
    ck_assert_int_eq(grpc_case_messages(stream), messages);
    ck_assert_int_eq(grpc_case_stage(stream), CASE_NONE);
}

uint64_t grpc_case_requests(void)
{
    return world_request_count(grpc_case.world);
}

uint64_t grpc_case_counted(int status)
{
    const struct metrics *metrics = &grpc_case.world->loop.context.metrics;
    uint64_t count = 0;
    int code = 0;

    while (metrics_codes[code] && metrics_codes[code] != status)
        code++;
    for (int route = 0; route < METRICS_ROUTES; route++)
        count += counter_value(&metrics->requests[route][code]);
    return count;
}

uint64_t grpc_case_rejected(enum metrics_rejection reason)
{
    return counter_value(
        &grpc_case.world->loop.context.metrics.rejected[reason]);
}

size_t grpc_case_leased(void)
{
    return atomic_load(&grpc_case.world->service.jobs.budget.leased);
}

void grpc_case_expect_service(uint32_t stream)
{
    grpc_case_call(stream);
    grpc_case_answer();
    grpc_case_expect_end(stream, API_GRPC_OK, 1);
}
