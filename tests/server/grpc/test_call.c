/* What a call goes through, from its headers to its status, and what may end it
 * on the way. */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/count.h"
#include "tests/server/grpc/grpc_case.h"
#include "tests/suite.h"

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72
#endif

enum { A = 1, B = 3 }; /* streams */

/* Without this lock, which qemu lacks, a socket is given as much buffer as a
 * reply is long, and none of it stays in the output. */
static bool kernel_sizes_buffers(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), locks = 0;
    bool does =
        setsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &locks, sizeof(locks)) == 0;

    close(fd);
    return does;
}

static void expect_stage(uint32_t stream, enum case_stage stage)
{
    ck_assert_int_eq(grpc_case_stage(stream), stage);
}

/* Adds a header block without its end. */
static void add_half_headers(uint32_t stream)
{
    struct frames *frames = &grpc_case.frames;
    size_t from = frames->len;
    const unsigned char *head = (unsigned char *)frames->data + from;

    grpc_case_headers(stream, CASE_INFER, FRAMES_SPLIT);
    frames->len = from + FRAMES_HEAD + ((size_t)head[1] << 8 | head[2]);
}

/* Each stage of a unary call begins with what the contract says, and no
 * sooner. */
START_TEST(a_unary_call_goes_through_its_stages)
{
    add_half_headers(A);
    grpc_case_send();
    expect_stage(A, CASE_OPENED);
    grpc_case_end();
    grpc_case_start();
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_send();
    expect_stage(A, CASE_RECEIVING);
    grpc_case_part(A, CASE_SMALL, 0, 3);
    grpc_case_send();
    expect_stage(A, CASE_RECEIVING);
    grpc_case_part(A, CASE_SMALL, 3, SIZE_MAX);
    grpc_case_send();
    grpc_case_work();
    expect_stage(A, CASE_RECEIVING); /* another message may come */
    grpc_case_half_close(A);
    grpc_case_send();
    expect_stage(A, CASE_RUNNING);
    ck_assert_int_eq(grpc_case_session()->running, 1);
    ck_assert_uint_eq(grpc_case_requests(), 0);
    grpc_case_work();
    grpc_case_receive();
    expect_stage(A, CASE_NONE);
    ck_assert_int_eq(grpc_case_session()->running, 0);
    ck_assert_uint_eq(grpc_case_session()->answered, 1);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_messages(A), 1);
    ck_assert_uint_eq(grpc_case_counted(200), 1);
    ck_assert_uint_eq(grpc_case_requests(), 1);
}
END_TEST

static const struct {
    const char *path;
    unsigned fields;
    int status, code, counted;
} refusals[] = {
    {"/nothing", 0, 200, API_GRPC_UNIMPLEMENTED, 404},
    {CASE_INFER, FRAMES_LONG, 200, API_GRPC_RESOURCE_EXHAUSTED, 431},
    {CASE_STREAM, FRAMES_LONG, 200, API_GRPC_RESOURCE_EXHAUSTED, 431},
    {"/nothing", FRAMES_ENDS, 200, API_GRPC_UNIMPLEMENTED, 404},
};

/* A call that its headers refuse has a status and no message; the rest of its
 * body is refused once, and the connection serves on. */
START_TEST(a_call_is_refused_by_its_headers)
{
    grpc_case_headers(A, refusals[_i].path, refusals[_i].fields);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_status(A), refusals[_i].status);
    ck_assert_int_eq(grpc_case_code(A), refusals[_i].code);
    ck_assert_int_eq(grpc_case_messages(A), 0);
    ck_assert_int_eq(grpc_case_count(FRAMES_DATA), 0);
    ck_assert_int_eq(grpc_case_reset_code(A),
                     refusals[_i].fields & FRAMES_ENDS ? -1 : 0);
    expect_stage(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(refusals[_i].counted), 1);
    if (!(refusals[_i].fields & FRAMES_ENDS))
        grpc_case_message(A, CASE_SMALL, true);
    grpc_case_expect_service(B);
    ck_assert_uint_eq(grpc_case_requests(), 2);
}
END_TEST

/* A client that is not gRPC's gets its reply behind its request. */
START_TEST(a_plain_reply_waits_for_the_end_of_the_request)
{
    grpc_case_headers(A, CASE_INFER, FRAMES_PLAIN);
    grpc_case_send();
    grpc_case_receive();
    expect_stage(A, CASE_RECEIVING);
    ck_assert_int_eq(grpc_case_status(A), 0);
    grpc_case_half_close(A);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_status(A), 415);
    expect_stage(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(415), 1);
    ck_assert_uint_eq(grpc_case_requests(), 1);
}
END_TEST

static const struct {
    const char *path;
    size_t len; /* bytes of a message before the end */
    int code;
    unsigned requests;
} early[] = {
    {CASE_INFER, 0, API_GRPC_UNIMPLEMENTED, 1},
    {CASE_INFER, 3, API_GRPC_INTERNAL, 1},
    {CASE_INFER, 20, API_GRPC_INTERNAL, 1},
    {CASE_STREAM, 0, API_GRPC_OK, 0},
    {CASE_STREAM, 20, API_GRPC_INTERNAL, 1},
    {CASE_WATCH, 0, API_GRPC_UNIMPLEMENTED, 1},
};

/* An end before a whole message is an error, but for a stream without any. */
START_TEST(a_client_ends_before_a_message)
{
    grpc_case_headers(A, early[_i].path, 0);
    grpc_case_part(A, CASE_SMALL, 0, early[_i].len);
    grpc_case_half_close(A);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_session()->running, 0);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), early[_i].code);
    ck_assert_int_eq(grpc_case_messages(A), 0);
    ck_assert_int_eq(grpc_case_reset_code(A), -1);
    expect_stage(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_requests(), early[_i].requests);
    grpc_case_expect_service(B);
}
END_TEST

/* No worker gets the first of two messages. */
START_TEST(a_second_message_refuses_a_unary_call)
{
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_send();
    expect_stage(A, CASE_RECEIVING);
    grpc_case_part(A, CASE_SMALL, 0, 1);
    grpc_case_send();
    ck_assert(!world_work(grpc_case.world));
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_UNIMPLEMENTED);
    ck_assert_int_eq(grpc_case_messages(A), 0);
    expect_stage(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(400), 1);
    grpc_case_expect_service(B);
}
END_TEST

/* States that a call can be brought to and left in. */
enum state {
    HEADERS,     /* no byte of a message has come */
    PREFIX,      /* a part of its prefix has */
    PART,        /* a part of it has */
    WHOLE,       /* it has, but the client may send more */
    QUEUED,      /* it waits for a worker */
    WORKED,      /* a worker has ended, of which the loop has not heard */
    REPLYING,    /* the client's window has taken a part of the reply */
    STREAM_IDLE, /* a stream between two messages */
    STREAM_QUEUED,
    STREAM_BACKLOG, /* others wait behind the message that is answered */
    STREAM_REPLYING,
    WATCHES,
};

static const struct state_row {
    const char *path;
    enum case_stage stage;
    int late;          /* the code when the deadline passes there */
    unsigned requests; /* that are counted when the client leaves there */
} states[] = {
    [HEADERS] = {CASE_INFER, CASE_RECEIVING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [PREFIX] = {CASE_INFER, CASE_RECEIVING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [PART] = {CASE_INFER, CASE_RECEIVING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [WHOLE] = {CASE_INFER, CASE_RECEIVING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [QUEUED] = {CASE_INFER, CASE_RUNNING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [WORKED] = {CASE_INFER, CASE_RUNNING, API_GRPC_OK, 1},
    [REPLYING] = {CASE_INFER, CASE_LAST, API_GRPC_OK, 1},
    [STREAM_IDLE] = {CASE_STREAM, CASE_RECEIVING, API_GRPC_DEADLINE_EXCEEDED,
                     1},
    [STREAM_QUEUED] = {CASE_STREAM, CASE_RUNNING, API_GRPC_OK, 1},
    [STREAM_BACKLOG] = {CASE_STREAM, CASE_RUNNING, API_GRPC_OK, 1},
    [STREAM_REPLYING] = {CASE_STREAM, CASE_SENDING, API_GRPC_DEADLINE_EXCEEDED,
                         1},
    [WATCHES] = {CASE_WATCH, CASE_WATCHING, API_GRPC_DEADLINE_EXCEEDED, 1},
};

static void add_watch(uint32_t stream)
{
    grpc_case_frame(FRAMES_DATA, 0, stream, "\0\0\0\0", 5);
}

static void queue(enum state state, uint32_t stream)
{
    bool stream_kind = state >= STREAM_IDLE;
    size_t count =
        state == REPLYING || state == STREAM_REPLYING ? CASE_LARGE : CASE_SMALL;

    grpc_case_message(stream, count, !stream_kind);
    for (int i = 0; state == STREAM_BACKLOG && i < 3; i++)
        grpc_case_message(stream, CASE_SMALL, false);
}

/* Streams that are opened later may send 16 KiB. */
static void narrow_windows(void)
{
    grpc_case_frame(FRAMES_SETTINGS, 0, 0, "\0\4\0\0\x40\0", 6);
}

static void widen_window(uint32_t stream)
{
    grpc_case_frame(FRAMES_WINDOW_UPDATE, 0, stream, "\0\x10\0\0", 4);
    grpc_case_send();
    grpc_case_receive();
}

static void bring_to(enum state state, uint32_t stream, unsigned fields)
{
    if (state == REPLYING || state == STREAM_REPLYING)
        narrow_windows();
    grpc_case_headers(stream, states[state].path, fields);
    if (state == PREFIX)
        grpc_case_part(stream, CASE_SMALL, 0, 3);
    else if (state == PART)
        grpc_case_part(stream, CASE_SMALL, 0, 20);
    else if (state == WHOLE)
        grpc_case_message(stream, CASE_SMALL, false);
    else if (state == WATCHES)
        add_watch(stream);
    else if (state != HEADERS)
        queue(state, stream);
    grpc_case_send();
    if (state == WORKED || state == REPLYING || state >= STREAM_IDLE)
        if (state != STREAM_QUEUED && state != STREAM_BACKLOG)
            grpc_case_work();
    if (state == STREAM_IDLE)
        grpc_case_receive();
    else if (state != WORKED)
        grpc_case_send();
    expect_stage(stream, states[state].stage);
}

/* Wherever a client cancels its call, the call is counted once, a worker's job
 * is given back, and others are served on. */
START_TEST(a_client_resets_its_call)
{
    bool has_job;

    bring_to((enum state)_i, A, 0);
    has_job = states[_i].stage == CASE_RUNNING;
    grpc_case_reset(A);
    grpc_case_send();
    expect_stage(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_session()->call_count, 0);
    ck_assert_uint_eq(grpc_case_session()->sending_streams, 0);
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_session()->running, 0);
    ck_assert(STAILQ_EMPTY(&grpc_case_session()->closed));
    ck_assert_uint_eq(grpc_case_requests(), states[_i].requests);
    if (_i != STREAM_IDLE && _i != WORKED)
        ck_assert_uint_eq(grpc_case_counted(METRICS_CLIENT_GONE),
                          states[_i].requests);
    ck_assert(!has_job || _i == WORKED || grpc_case_messages(A) == 0);
    grpc_case_expect_service(B);
}
END_TEST

/* The same where the whole connection goes. Its struct stays while a worker has
 * a job of it. */
START_TEST(a_client_closes_its_connection)
{
    if (_i == COUNT(states)) {
        add_half_headers(A);
        grpc_case_send();
        expect_stage(A, CASE_OPENED);
    } else {
        bring_to((enum state)_i, A, 0);
    }
    client_close(&grpc_case.client);
    grpc_case_send();
    grpc_case_work();
    grpc_case_wait(200);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert_uint_eq(grpc_case_requests(),
                      _i == COUNT(states) ? 0 : states[_i].requests);
}
END_TEST

/* A deadline ends a call that waits for its client or a worker; it does not cut
 * a reply that is on its way. A stream's message that came in time has a reply
 * before the status. */
START_TEST(a_deadline_passes)
{
    bring_to((enum state)_i, A, FRAMES_TIMEOUT);
    if (_i == WORKED) /* the loop hears of it first */
        grpc_case_send();
    grpc_case_wait(300);
    if (_i == STREAM_QUEUED || _i == STREAM_BACKLOG) {
        grpc_case_receive();
        ck_assert_int_ge(grpc_case_messages(A), 1);
        grpc_case_wait(300);
        grpc_case_receive();
        ck_assert_int_eq(grpc_case_code(A), API_GRPC_DEADLINE_EXCEEDED);
    } else {
        grpc_case_receive();
        if (_i == REPLYING || _i == STREAM_REPLYING)
            widen_window(A);
        grpc_case_wait(200);
        grpc_case_receive();
        ck_assert_int_eq(grpc_case_code(A), states[_i].late);
    }
    expect_stage(A, CASE_NONE);
    ck_assert_int_eq(grpc_case_session()->running, 0);
    if (_i == REPLYING || _i == STREAM_REPLYING || _i == STREAM_IDLE)
        ck_assert_int_eq(grpc_case_messages(A), 1);
    grpc_case_expect_service(B);
}
END_TEST

/* Bytes of a reply that the output has borrowed outlive their stream, and the
 * call with them. */
START_TEST(a_reply_in_the_output_outlives_its_stream)
{
    if (!kernel_sizes_buffers()) {
        puts("skipped: a reply in the output, for SO_BUF_LOCK is missing");
        return;
    }
    grpc_case_reconnect(true);
    frames_open(&grpc_case.frames);
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_message(A, CASE_LARGE, true);
    grpc_case_send();
    grpc_case_work();
    grpc_case_send();
    ck_assert_uint_gt(grpc_case_session()->output.bytes, 0);
    expect_stage(A, CASE_NONE);
    ck_assert(!STAILQ_EMPTY(&grpc_case_session()->closed));
    ck_assert_uint_eq(grpc_case_requests(), 0);
    grpc_case_receive();
    ck_assert(STAILQ_EMPTY(&grpc_case_session()->closed));
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_counted(200), 1);
}
END_TEST

/* Who sends nothing more is ended after --body-timeout; a job that waits for a
 * worker is not its client's fault. */
START_TEST(a_client_is_too_slow)
{
    static const enum state slow[] = {HEADERS, PART, QUEUED, REPLYING};
    enum state state = slow[_i];

    grpc_case_options()->body_timeout = 2;
    bring_to(state, A, 0);
    grpc_case_wait(6000);
    grpc_case_receive();
    expect_stage(A, state == QUEUED ? CASE_RUNNING : CASE_NONE);
    if (state == QUEUED)
        ck_assert_uint_eq(grpc_case_requests(), 0);
    else if (state == REPLYING)
        ck_assert_uint_eq(grpc_case_counted(METRICS_CLIENT_GONE), 1);
    else
        ck_assert_uint_eq(grpc_case_counted(408), 1);
}
END_TEST

/* Each message of a stream has one reply, in their order; the status follows
 * the last. */
START_TEST(a_stream_answers_all_messages)
{
    enum { MESSAGES = 5 };

    grpc_case_headers(A, CASE_STREAM, 0);
    for (int i = 0; i < MESSAGES; i++)
        grpc_case_message(A, CASE_SMALL, i == MESSAGES - 1);
    grpc_case_send();
    for (int i = 0; i < MESSAGES; i++) {
        expect_stage(A, CASE_RUNNING);
        ck_assert_int_eq(grpc_case_messages(A), i);
        ck_assert_int_eq(grpc_case_code(A), -1);
        grpc_case_work();
        grpc_case_receive();
    }
    ck_assert_int_eq(grpc_case_messages(A), MESSAGES);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    expect_stage(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(200), MESSAGES);
    ck_assert_uint_eq(grpc_case_requests(), MESSAGES);
}
END_TEST

/* A stream goes back to its client between two messages, and may end there. */
START_TEST(a_stream_ends_between_messages)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    for (int i = 0; i < 2; i++) {
        grpc_case_message(A, CASE_SMALL, false);
        grpc_case_send();
        expect_stage(A, CASE_RUNNING);
        grpc_case_work();
        grpc_case_receive();
        expect_stage(A, CASE_RECEIVING);
        ck_assert_int_eq(grpc_case_messages(A), i + 1);
    }
    grpc_case_half_close(A);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_requests(), 2);
    expect_stage(A, CASE_NONE);
}
END_TEST

/* A fault behind whole messages ends a stream after their replies. */
START_TEST(a_fault_of_a_stream_waits_for_the_replies_before)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_frame(FRAMES_DATA, 0, A, "\7\0\0\0", 5);
    grpc_case_send();
    for (int i = 0; i < 2; i++) {
        expect_stage(A, CASE_RUNNING);
        ck_assert_int_eq(grpc_case_code(A), -1);
        grpc_case_work();
        grpc_case_receive();
    }
    ck_assert_int_eq(grpc_case_messages(A), 2);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_INTERNAL);
    expect_stage(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(200), 2);
    ck_assert_uint_eq(grpc_case_counted(400), 1);
}
END_TEST

/* A WATCH tells each change once. */
START_TEST(a_watch_tells_changes)
{
    bring_to(WATCHES, A, 0);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_messages(A), 1);
    grpc_case_wait(500);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_messages(A), 1);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(300);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_messages(A), 2);
    expect_stage(A, CASE_WATCHING);
    ck_assert_uint_eq(grpc_case_requests(), 0);
}
END_TEST

/* A second message of a WATCH is a fault, as of a unary call. */
START_TEST(a_watch_has_one_message)
{
    bring_to(WATCHES, A, 0);
    add_watch(A);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_UNIMPLEMENTED);
    ck_assert_int_eq(grpc_case_messages(A), 1);
    expect_stage(A, CASE_NONE);
}
END_TEST

/* A job for which the queue has no place is refused at once; those before it
 * are not. */
START_TEST(a_full_queue_refuses_a_call)
{
    for (uint32_t stream = 1; stream <= 5; stream += 2) {
        grpc_case_headers(stream, CASE_INFER, 0);
        grpc_case_message(stream, CASE_SMALL, true);
    }
    grpc_case_send();
    grpc_case_receive();
    expect_stage(1, CASE_RUNNING);
    expect_stage(3, CASE_RUNNING);
    expect_stage(5, CASE_NONE);
    ck_assert_int_eq(grpc_case_code(5), API_GRPC_UNAVAILABLE);
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(1), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_code(3), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_counted(503), 1);
}
END_TEST

SUITE_WITH("call", grpc_case_start, grpc_case_end,
           TEST(a_unary_call_goes_through_its_stages),
           LOOP(a_call_is_refused_by_its_headers, COUNT(refusals)),
           TEST(a_plain_reply_waits_for_the_end_of_the_request),
           LOOP(a_client_ends_before_a_message, COUNT(early)),
           TEST(a_second_message_refuses_a_unary_call),
           LOOP(a_client_resets_its_call, COUNT(states)),
           LOOP(a_client_closes_its_connection, COUNT(states) + 1),
           LOOP(a_deadline_passes, COUNT(states)),
           TEST(a_reply_in_the_output_outlives_its_stream),
           LOOP(a_client_is_too_slow, 4), TEST(a_stream_answers_all_messages),
           TEST(a_stream_ends_between_messages),
           TEST(a_fault_of_a_stream_waits_for_the_replies_before),
           TEST(a_watch_tells_changes), TEST(a_watch_has_one_message),
           TEST(a_full_queue_refuses_a_call))
