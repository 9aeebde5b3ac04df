/* What a call goes through, from its headers to its status, and what may end it
 * on the way. */
#include "tests/fuzz/grpc_replies.h"
#include "tests/server/grpc/call_state.h"
#include "tests/unit.h"

enum { A = 1, B = 3 }; /* streams */

/* Each stage of a unary call begins with what the contract says, and no
 * sooner. */
UNIT_TEST(a_unary_call_goes_through_its_stages)
{
    call_state_bring(OPENED, A, 0);
    grpc_case_end();
    grpc_case_start();
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_send();
    call_state_expect(A, CASE_RECEIVING);
    grpc_case_part(A, CASE_SMALL, 0, 3);
    grpc_case_send();
    call_state_expect(A, CASE_RECEIVING);
    grpc_case_part(A, CASE_SMALL, 3, SIZE_MAX);
    grpc_case_send();
    grpc_case_work();
    call_state_expect(A, CASE_RECEIVING); /* another message may come */
    grpc_case_half_close(A);
    grpc_case_send();
    call_state_expect(A, CASE_RUNNING);
    ck_assert_uint_eq(grpc_case_session()->living, 1);
    ck_assert_uint_eq(grpc_case_requests(), 0);
    grpc_case_work();
    grpc_case_receive();
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_session()->living, 0);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_messages(A), 1);
    ck_assert_uint_eq(grpc_case_counted(200), 1);
    ck_assert_uint_eq(grpc_case_requests(), 1);
}

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
LOOP_TEST(a_call_is_refused_by_its_headers, COUNT(refusals))
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
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(refusals[_i].counted), 1);
    if (!(refusals[_i].fields & FRAMES_ENDS))
        grpc_case_message(A, CASE_SMALL, true);
    grpc_case_expect_service(B);
    ck_assert_uint_eq(grpc_case_requests(), 2);
}

/* A client that is not gRPC's has sent its request before it reads HTTP's
 * reply, which has a text and no status of gRPC. */
UNIT_TEST(a_request_of_another_protocol_has_a_reply_of_http)
{
    grpc_case_headers(A, CASE_INFER, FRAMES_PLAIN);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_count(FRAMES_HEADERS), 0);
    grpc_case_half_close(A);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_status(A), 415);
    ck_assert_int_eq(grpc_case_code(A), -1);
    ck_assert_int_eq(grpc_case_count(FRAMES_HEADERS), 1);
    ck_assert_int_eq(grpc_case_count(FRAMES_DATA), 1);
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(415), 1);
    ck_assert_uint_eq(grpc_case_requests(), 1);
    grpc_case_expect_service(B);
}

/* HEAD and GET of / for HTTP's other clients. */
static const struct {
    const char *block;
    size_t len;
    int data;
} foreign[] = {{"\x42\4HEAD\x84\x86\x41\1f", 11, 0},
               {"\x82\x84\x86\x41\1f", 6, 1}};

LOOP_TEST(a_reply_of_http_to_head_has_no_body, COUNT(foreign))
{
    grpc_case_frame(FRAMES_HEADERS, FRAMES_END_HEADERS | FRAMES_END_STREAM, A,
                    foreign[_i].block, foreign[_i].len);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_status(A), 415);
    ck_assert_int_eq(grpc_case_messages(A), 0);
    ck_assert_int_eq(
        counter_value(&grpc_case.world->loop.context.metrics.sent) > 0,
        foreign[_i].data);
    call_state_expect(A, CASE_NONE);
}

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
    {CASE_STREAM, 3, API_GRPC_INTERNAL, 1},
    {CASE_STREAM, 20, API_GRPC_INTERNAL, 1},
    {CASE_WATCH, 0, API_GRPC_UNIMPLEMENTED, 1},
};

/* An end before a whole message is an error, but for a stream without any. */
LOOP_TEST(a_client_ends_before_a_message, COUNT(early))
{
    grpc_case_headers(A, early[_i].path, 0);
    grpc_case_part(A, CASE_SMALL, 0, early[_i].len);
    grpc_case_half_close(A);
    grpc_case_send();
    ck_assert_uint_eq(grpc_case_session()->living, 0);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), early[_i].code);
    ck_assert_int_eq(grpc_case_messages(A), 0);
    ck_assert_int_eq(grpc_case_reset_code(A), -1);
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_requests(), early[_i].requests);
    grpc_case_expect_service(B);
}

/* No worker gets the first of two messages. */
UNIT_TEST(a_second_message_refuses_a_unary_call)
{
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_send();
    call_state_expect(A, CASE_RECEIVING);
    grpc_case_part(A, CASE_SMALL, 0, 1);
    grpc_case_send();
    ck_assert(!world_work(grpc_case.world));
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_UNIMPLEMENTED);
    ck_assert_int_eq(grpc_case_messages(A), 0);
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(400), 1);
    grpc_case_expect_service(B);
}

/* Bytes of a reply that the output has borrowed outlive their stream, and the
 * call with them. */
UNIT_TEST(a_reply_in_the_output_outlives_its_stream)
{
    if (!grpc_case_leave_unread(A, CASE_LARGE))
        return;
    ck_assert_uint_gt(grpc_case_session()->output.bytes, 0);
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_session()->living, 1);
    ck_assert_uint_eq(grpc_case_requests(), 0);
    grpc_case_receive();
    ck_assert_uint_eq(grpc_case_session()->living, 0);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_counted(200), 1);
}

static uint64_t rejected(enum metrics_rejection reason)
{
    return counter_value(
        &grpc_case.world->loop.context.metrics.rejected[reason]);
}

/* Who sends nothing more is ended after --body-timeout; a job that waits for a
 * worker is not its client's fault. */
LOOP_TEST(a_client_is_too_slow, 4)
{
    static const enum call_state slow[] = {HEADERS, PART, QUEUED, REPLYING};
    enum call_state state = slow[_i];

    grpc_case_options()->body_timeout = 2;
    call_state_bring(state, A, 0);
    grpc_case_wait(6000);
    grpc_case_receive();
    call_state_expect(A, state == QUEUED ? CASE_RUNNING : CASE_NONE);
    if (state == QUEUED)
        ck_assert_uint_eq(grpc_case_requests(), 0);
    else if (state == REPLYING)
        ck_assert_uint_eq(grpc_case_counted(METRICS_CLIENT_GONE), 1);
    else
        ck_assert_uint_eq(grpc_case_counted(408), 1);
    ck_assert_uint_eq(rejected(METRICS_BODY_TIMEOUT),
                      state == HEADERS || state == PART);
    ck_assert_uint_eq(rejected(METRICS_SEND_TIMEOUT), state == REPLYING);
}

/* What comes of a message is progress. */
UNIT_TEST(a_client_that_sends_slowly_has_its_reply)
{
    enum { STEP = 2 << 10, SECONDS = 6 };
    size_t at = 0;

    grpc_case_options()->body_timeout = 2;
    grpc_case_headers(A, CASE_INFER, 0);
    for (; at < SECONDS * STEP; at += STEP) {
        grpc_case_part(A, CASE_LARGE, at, at + STEP);
        grpc_case_send();
        grpc_case_wait(1000);
        call_state_expect(A, CASE_RECEIVING);
    }
    grpc_case_part(A, CASE_LARGE, at, SIZE_MAX);
    grpc_case_half_close(A);
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
}

/* The time that a worker takes is not held against the client behind it. */
UNIT_TEST(a_client_has_its_time_again_behind_a_job)
{
    grpc_case_options()->body_timeout = 2;
    grpc_case_frame(FRAMES_SETTINGS, 0, 0, "\0\4\0\0\0\1", 6); /* a byte */
    call_state_bring(PART, A, 0);
    grpc_case_wait(1500);
    grpc_case_part(A, CASE_SMALL, 20, SIZE_MAX);
    grpc_case_half_close(A);
    grpc_case_send();
    grpc_case_wait(6000);
    grpc_case_work();
    grpc_case_send();
    call_state_expect(A, CASE_LAST);
    grpc_case_wait(1500);
    call_state_expect(A, CASE_LAST);
    call_state_widen(A);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
}

/* A request that is not gRPC's, and does not end, has no reply. */
UNIT_TEST(a_stranger_is_too_slow)
{
    grpc_case_options()->body_timeout = 2;
    grpc_case_headers(A, CASE_INFER, FRAMES_PLAIN);
    grpc_case_send();
    grpc_case_wait(6000);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_count(FRAMES_HEADERS), 0);
    ck_assert_int_eq(grpc_case_reset_code(A), CASE_CANCEL);
    ck_assert_uint_eq(rejected(METRICS_BODY_TIMEOUT), 1);
    call_state_expect(A, CASE_NONE);
}

/* More than the limit, and more than may be held at once. */
static const struct {
    const char *prefix;
    unsigned too_large, too_much;
} long_ones[] = {{"\0\20\0\0\0", 1, 0}, {"\0\0\160\0\0", 0, 1}};

LOOP_TEST(a_long_message_is_refused_by_its_prefix, COUNT(long_ones))
{
    grpc_case_options()->http_max_input_size = 64 << 20;
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_frame(FRAMES_DATA, 0, A, long_ones[_i].prefix, FRAMES_PREFIX);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_RESOURCE_EXHAUSTED);
    ck_assert_uint_eq(grpc_case_counted(413), 1);
    ck_assert_uint_eq(rejected(METRICS_BODY_TOO_LARGE),
                      long_ones[_i].too_large);
    ck_assert_uint_eq(rejected(METRICS_INFLIGHT_BYTES), long_ones[_i].too_much);
}

/* Others are refused for lack of memory: idle calls that hold some of it make
 * room, the first of a connection holds none. */
UNIT_TEST(an_idle_call_makes_room_in_the_memory)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_headers(B, CASE_STREAM, 0);
    grpc_case_send();
    grpc_case_wait(10000);
    call_state_expect(B, CASE_RECEIVING);
    for (int i = 0; i < 10; i++) {
        atomic_store(&grpc_case.world->service.jobs.budget.refusals, 1);
        grpc_case_wait(500);
    }
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(B), API_GRPC_UNAVAILABLE);
    ck_assert_uint_eq(rejected(METRICS_INFLIGHT_BYTES), 1);
    call_state_expect(A, CASE_RECEIVING);
}

/* Each message of a stream has one reply, in their order; the status follows
 * the last. */
UNIT_TEST(a_stream_answers_all_messages)
{
    enum { MESSAGES = 5 };

    grpc_case_headers(A, CASE_STREAM, 0);
    for (int i = 0; i < MESSAGES; i++)
        grpc_case_message(A, CASE_SMALL, i == MESSAGES - 1);
    grpc_case_send();
    for (int i = 0; i < MESSAGES; i++) {
        call_state_expect(A, CASE_RUNNING);
        ck_assert_int_eq(grpc_case_messages(A), i);
        ck_assert_int_eq(grpc_case_code(A), -1);
        grpc_case_work();
        grpc_case_receive();
    }
    ck_assert_int_eq(grpc_case_messages(A), MESSAGES);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(200), MESSAGES);
    ck_assert_uint_eq(grpc_case_requests(), MESSAGES);
}

/* A connection pays for one message at a time, and so for each in its turn:
 * small calls are served while the budget is used up. */
UNIT_TEST(each_message_after_another_is_paid_for)
{
    const atomic_size_t *leased = &grpc_case.world->service.jobs.budget.leased;
    size_t before = atomic_load(leased);

    for (uint32_t stream = A; stream <= A + 4; stream += 2) {
        ck_assert(grpc_case_session()->allowance);
        grpc_case_headers(stream, CASE_INFER, 0);
        grpc_case_message(stream, CASE_SMALL, true);
        grpc_case_send();
        call_state_expect(stream, CASE_RUNNING);
        ck_assert(!grpc_case_session()->allowance);
        ck_assert_uint_eq(atomic_load(leased), before);
        grpc_case_work();
        grpc_case_receive();
        ck_assert_int_eq(grpc_case_code(stream), API_GRPC_OK);
    }
    ck_assert(grpc_case_session()->allowance);
}

/* Not those of the replies before it as well. */
UNIT_TEST(a_reply_of_a_stream_counts_its_own_bytes)
{
    const atomic_ullong *sent = &grpc_case.world->loop.context.metrics.sent;
    unsigned long long before = atomic_load(sent), first = 0;

    grpc_case_headers(A, CASE_STREAM, 0);
    for (unsigned i = 1; i <= 3; i++) {
        grpc_case_message(A, CASE_SMALL, i == 3);
        grpc_case_send();
        grpc_case_work();
        grpc_case_receive();
        if (i == 1)
            first = atomic_load(sent) - before;
        ck_assert_uint_gt(first, 0);
        ck_assert_uint_eq(atomic_load(sent) - before, i * first);
    }
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
}

/* A stream goes back to its client between two messages, and may end there. */
UNIT_TEST(a_stream_ends_between_messages)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    for (int i = 0; i < 2; i++) {
        grpc_case_message(A, CASE_SMALL, false);
        grpc_case_send();
        call_state_expect(A, CASE_RUNNING);
        grpc_case_work();
        grpc_case_receive();
        call_state_expect(A, CASE_RECEIVING);
        ck_assert_int_eq(grpc_case_messages(A), i + 1);
    }
    grpc_case_half_close(A);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_requests(), 2);
    call_state_expect(A, CASE_NONE);
}

/* A fault behind whole messages ends a stream after their replies: a flag is 0
 * or 1. */
LOOP_TEST(a_fault_of_a_stream_waits_for_the_replies_before, 2)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_frame(FRAMES_DATA, 0, A, _i ? "\x81\0\0\0" : "\2\0\0\0", 5);
    grpc_case_send();
    for (int i = 0; i < 2; i++) {
        call_state_expect(A, CASE_RUNNING);
        ck_assert_int_eq(grpc_case_code(A), -1);
        grpc_case_work();
        grpc_case_receive();
    }
    ck_assert_int_eq(grpc_case_messages(A), 2);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_INTERNAL);
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(200), 2);
    ck_assert_uint_eq(grpc_case_counted(400), 1);
}

/* True if one of the replies' messages says that it is compressed. */
static bool is_compressed(uint32_t stream)
{
    struct grpc_replies replies = grpc_replies_read(&grpc_case.client);
    const struct grpc_reply *reply = grpc_replies_find(&replies, stream);
    const unsigned char *data = reply ? (unsigned char *)reply->data : NULL;
    bool is = false;

    for (size_t at = 0; data && at + FRAMES_PREFIX <= reply->len;
         at += FRAMES_PREFIX + data[at + 4])
        is |= data[at] != 0;
    grpc_replies_free(&replies);
    return is;
}

/* A WATCH tells each change once, and never compresses its few bytes. */
LOOP_TEST(a_watch_tells_changes, 2)
{
    call_state_bring(WATCHES, A, _i ? FRAMES_GZIP | FRAMES_ECHOES : 0);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_messages(A), 1);
    grpc_case_wait(500);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_messages(A), 1);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(300);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_messages(A), 2);
    ck_assert(!is_compressed(A));
    call_state_expect(A, CASE_WATCHING);
    ck_assert_uint_eq(grpc_case_requests(), 0);
}

/* The time in which a WATCH had nothing to tell is not its client's: a change
 * for which the window has no room waits for that. */
UNIT_TEST(a_watch_that_was_idle_is_not_slow)
{
    grpc_case_options()->body_timeout = 2;
    grpc_case_frame(FRAMES_SETTINGS, 0, 0, "\0\4\0\0\0\0", 6);
    grpc_case_headers(A, CASE_WATCH, 0);
    call_state_watch(A);
    grpc_case_send();
    grpc_case_wait(1500);
    call_state_expect(A, CASE_SENDING);
    grpc_case_frame(FRAMES_WINDOW_UPDATE, 0, A, "\0\0\0\7", 4);
    grpc_case_send();
    grpc_case_wait(4000);
    call_state_expect(A, CASE_WATCHING);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(1500);
    call_state_expect(A, CASE_SENDING);
    call_state_widen(A);
    ck_assert_int_eq(grpc_case_messages(A), 2);
    call_state_expect(A, CASE_WATCHING);
}

/* A second message of a WATCH is a fault, as of a unary call. */
UNIT_TEST(a_watch_has_one_message)
{
    call_state_bring(WATCHES, A, 0);
    call_state_watch(A);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_UNIMPLEMENTED);
    ck_assert_int_eq(grpc_case_messages(A), 1);
    call_state_expect(A, CASE_NONE);
}

/* A job for which the queue has no place is refused at once; those before it
 * are not. */
UNIT_TEST(a_full_queue_refuses_a_call)
{
    for (uint32_t stream = 1; stream <= 5; stream += 2) {
        grpc_case_headers(stream, CASE_INFER, 0);
        grpc_case_message(stream, CASE_SMALL, true);
    }
    grpc_case_send();
    grpc_case_receive();
    call_state_expect(1, CASE_RUNNING);
    call_state_expect(3, CASE_RUNNING);
    call_state_expect(5, CASE_NONE);
    ck_assert_int_eq(grpc_case_code(5), API_GRPC_UNAVAILABLE);
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(1), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_code(3), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_counted(503), 1);
}

#define CASE_METADATA "/inference.GRPCInferenceService/ServerMetadata"

/* A gzip stream of no bytes; and what is none, but a message if it is taken as
 * it is. */
static const struct {
    const char *message;
    size_t len;
    int code, counted;
} compressed[] = {
    {"\1\0\0\0\24\37\213\10\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0", 25, API_GRPC_OK,
     200},
    {"\1\0\0\0\2\10\1", 7, API_GRPC_INTERNAL, 400},
};

/* Not only an inference may be compressed. */
LOOP_TEST(a_compressed_message_of_any_method_is_read, COUNT(compressed))
{
    grpc_case_headers(A, CASE_METADATA, FRAMES_GZIP);
    grpc_case_frame(FRAMES_DATA, FRAMES_END_STREAM, A, compressed[_i].message,
                    compressed[_i].len);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), compressed[_i].code);
    ck_assert_uint_eq(grpc_case_counted(compressed[_i].counted), 1);
    call_state_expect(A, CASE_NONE);
}

/* What a message that is no inference becomes takes more than its bytes. */
LOOP_TEST(a_message_of_any_method_leases_what_it_becomes, 2)
{
    static char message[FRAMES_PREFIX + 10000] = "\0\0\0\47\20\172\215\116";
    bool is_full = _i > 0;

    if (is_full)
        grpc_case.world->service.jobs.budget.limit = 1;
    grpc_case_headers(A, CASE_METADATA, 0);
    grpc_case_frame(FRAMES_DATA, FRAMES_END_STREAM, A, message,
                    sizeof(message));
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A),
                     is_full ? API_GRPC_RESOURCE_EXHAUSTED : API_GRPC_OK);
    ck_assert_uint_eq(rejected(METRICS_INFLIGHT_BYTES), is_full);
}

/* The flag of a message, and what it may say. */
static const struct {
    const char *prefix;
    unsigned fields;
} flags[] = {
    {"\2\0\0\0\1", FRAMES_GZIP},
    {"\1\0\0\0\1", 0},
    {"\1\0\0\0\0", FRAMES_GZIP},
};

LOOP_TEST(a_wrong_flag_refuses_a_call, COUNT(flags))
{
    grpc_case_headers(A, CASE_INFER, flags[_i].fields);
    grpc_case_frame(FRAMES_DATA, 0, A, flags[_i].prefix, FRAMES_PREFIX);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_INTERNAL);
    ck_assert_uint_eq(grpc_case_counted(400), 1);
}

FIXTURE(grpc_case_start, grpc_case_end)
