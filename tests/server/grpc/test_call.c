/* What a call goes through, from its headers to its status, and what may end it
 * on the way. */
#include "tests/server/grpc/call_state.h"
#include "tests/unit.h"

enum { A = 1, B = 3, C = 5 }; /* streams */

static const struct {
    const char *path;
    unsigned fields;
    int code, counted;
    const char *text;
} refusals[] = {
    {"/nothing", 0, API_GRPC_UNIMPLEMENTED, 404,
     "grpc-message: unknown method /nothing\n"},
    {CASE_INFER, FRAMES_LONG, API_GRPC_RESOURCE_EXHAUSTED, 431,
     " bytes, but 16384 is the limit\n"},
    {"/nothing", FRAMES_LONG, API_GRPC_RESOURCE_EXHAUSTED, 431, "limit"},
    {"/nothing", FRAMES_ENDS, API_GRPC_UNIMPLEMENTED, 404, "/nothing"},
};

/* A call that its headers refuse has a status and no message; the rest of its
 * body is refused once, and the connection serves on. */
LOOP_TEST(a_call_is_refused_by_its_headers, COUNT(refusals))
{
    const struct metrics *metrics = &grpc_case.world->loop.context.metrics;

    grpc_case_headers(A, refusals[_i].path, refusals[_i].fields);
    grpc_case_ask();
    ck_assert_int_eq(grpc_case_status(A), 200);
    grpc_case_expect_end(A, refusals[_i].code, 0);
    grpc_case_expect_field(A, refusals[_i].text, true);
    ck_assert_int_eq(grpc_case_count(FRAMES_DATA), 0);
    ck_assert_int_eq(grpc_case_reset_code(A),
                     refusals[_i].fields & FRAMES_ENDS ? -1 : 0);
    ck_assert_uint_eq(grpc_case_counted(refusals[_i].counted), 1);
    ck_assert_str_eq(atomic_load(&metrics->labels[0]), "none");
    if (!(refusals[_i].fields & FRAMES_ENDS))
        grpc_case_message(A, CASE_SMALL, true);
    grpc_case_expect_service(B);
    ck_assert_uint_eq(grpc_case_requests(), 2);
    ck_assert_str_eq(atomic_load(&metrics->labels[1]),
                     "/v2/models/{model}/infer");
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
    grpc_case_expect_end(A, early[_i].code, 0);
    ck_assert_int_eq(grpc_case_reset_code(A), -1);
    ck_assert_uint_eq(grpc_case_requests(), early[_i].requests);
    grpc_case_expect_service(B);
}

/* No worker gets the first of two messages of a unary call; a WATCH has one,
 * too. */
LOOP_TEST(a_second_message_refuses_a_call, 2)
{
    bool is_watch = _i > 0;

    call_state_bring(is_watch ? WATCHES : WHOLE, A, 0);
    ck_assert_uint_eq(grpc_case_session()->living, 1);
    ck_assert_uint_eq(grpc_case_requests(), 0);
    grpc_case_part(A, CASE_SMALL, 0, 1);
    grpc_case_send();
    ck_assert(!world_work(grpc_case.world));
    grpc_case_receive();
    grpc_case_expect_end(A, API_GRPC_UNIMPLEMENTED, is_watch);
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
    grpc_case_expect_tensor(A, CASE_LARGE);
    ck_assert_uint_eq(grpc_case_counted(200), 1);
}

/* Where a client sends nothing more; what is counted then, and the code of the
 * reset. */
static const struct {
    enum call_state state;
    unsigned fields;
    int status, counted, reset;
    enum metrics_rejection reason;
} slow[] = {
    {OPENED, 0, 200, 408, 0, METRICS_BODY_TIMEOUT},
    {HEADERS, 0, 200, 408, 0, METRICS_BODY_TIMEOUT},
    {PART, 0, 200, 408, 0, METRICS_BODY_TIMEOUT},
    {STREAM_PART, 0, 200, 408, 0, METRICS_BODY_TIMEOUT},
    {REPLYING, 0, 200, METRICS_CLIENT_GONE, CASE_CANCEL, METRICS_SEND_TIMEOUT},
    /* a request that is not gRPC's, and does not end, has no reply */
    {HEADERS, FRAMES_PLAIN, 0, METRICS_CLIENT_GONE, CASE_CANCEL,
     METRICS_BODY_TIMEOUT},
};

/* It is ended after --body-timeout. */
LOOP_TEST(a_client_is_too_slow, COUNT(slow))
{
    grpc_case_options()->body_timeout = 2;
    call_state_bring(slow[_i].state, A, slow[_i].fields);
    grpc_case_wait(6000);
    grpc_case_receive();
    call_state_expect(A, CASE_NONE);
    ck_assert_int_eq(grpc_case_status(A), slow[_i].status);
    ck_assert_int_eq(grpc_case_reset_code(A), slow[_i].reset);
    grpc_case_expect_field(A,
                           "grpc-message: the body did not arrive in time: "
                           "body-timeout, in seconds, is 2\n",
                           slow[_i].counted == 408);
    ck_assert_uint_eq(grpc_case_counted(slow[_i].counted), 1);
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        ck_assert_uint_eq(grpc_case_rejected((enum metrics_rejection)i),
                          i == (int)slow[_i].reason);
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
        call_state_expect(A, CALL_RECEIVING);
    }
    grpc_case_part(A, CASE_LARGE, at, SIZE_MAX);
    grpc_case_half_close(A);
    grpc_case_answer();
    grpc_case_expect_tensor(A, CASE_LARGE);
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
    call_state_expect(A, CALL_RUNNING);
    ck_assert_uint_eq(grpc_case_requests(), 0);
    grpc_case_work();
    grpc_case_send();
    call_state_expect(A, CALL_LAST);
    grpc_case_wait(1500);
    call_state_expect(A, CALL_LAST);
    call_state_widen(A);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
}

/* Others are refused for lack of memory: idle calls that hold some of it make
 * room, the first of a connection holds none. */
UNIT_TEST(an_idle_call_makes_room_in_the_memory)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_headers(B, CASE_STREAM, 0);
    grpc_case_send();
    grpc_case_wait(10000);
    call_state_expect(B, CALL_RECEIVING);
    for (int i = 0; i < 10; i++) {
        atomic_store(&grpc_case.world->service.jobs.budget.refusals, 1);
        grpc_case_wait(500);
    }
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(B), API_GRPC_UNAVAILABLE);
    ck_assert_uint_eq(grpc_case_rejected(METRICS_INFLIGHT_BYTES), 1);
    call_state_expect(A, CALL_RECEIVING);
}

/* Each message of a stream has one reply, in their order; the status follows
 * the last. The first three are sent together, and each is shorter than the
 * one before. */
UNIT_TEST(a_stream_answers_all_messages)
{
    enum { MESSAGES = 5 };

    grpc_case_headers(A, CASE_STREAM, 0);
    for (int i = 0, sent = 0; i < MESSAGES; i++) {
        for (; sent < MESSAGES && sent < i + 3; sent++)
            grpc_case_message(A, (size_t)(MESSAGES - sent) * CASE_SMALL,
                              sent == MESSAGES - 1);
        grpc_case_send();
        call_state_expect(A, CALL_RUNNING);
        ck_assert_int_eq(grpc_case_messages(A), i);
        ck_assert_int_eq(grpc_case_code(A), -1);
        grpc_case_answer();
    }
    grpc_case_expect_end(A, API_GRPC_OK, MESSAGES);
    ck_assert_uint_eq(grpc_case_counted(200), MESSAGES);
    ck_assert_uint_eq(grpc_case_requests(), MESSAGES);
}

/* A connection pays for one message at a time, and so for each in its turn:
 * small calls are served while the budget is used up. */
UNIT_TEST(each_message_after_another_is_paid_for)
{
    size_t before = grpc_case_leased();

    for (uint32_t stream = A; stream <= A + 4; stream += 2) {
        ck_assert(grpc_case_session()->allowance);
        grpc_case_call(stream);
        grpc_case_send();
        call_state_expect(stream, CALL_RUNNING);
        ck_assert(!grpc_case_session()->allowance);
        ck_assert_uint_eq(grpc_case_leased(), before);
        grpc_case_answer();
        ck_assert_int_eq(grpc_case_code(stream), API_GRPC_OK);
    }
    ck_assert(grpc_case_session()->allowance);
}

/* What comes beside the first message is paid for, or refused. */
UNIT_TEST(calls_beside_another_are_paid_for)
{
    size_t before = grpc_case_leased();
    struct budget *budget = &grpc_case.world->service.jobs.budget;

    call_state_bring(PART, A, 0);
    ck_assert_uint_eq(grpc_case_leased(), before);
    call_state_bring(HEADERS, B, 0);
    ck_assert_uint_eq(grpc_case_leased(), before + CALL_COST);
    grpc_case_part(B, CASE_SMALL, 0, 20);
    grpc_case_send();
    ck_assert_uint_gt(grpc_case_leased(), before + CALL_COST);
    budget->limit = grpc_case_leased() + CALL_COST;
    grpc_case_call(C);
    grpc_case_ask();
    ck_assert_int_eq(grpc_case_code(C), API_GRPC_UNAVAILABLE);
    ck_assert_uint_eq(grpc_case_rejected(METRICS_INFLIGHT_BYTES), 1);
    budget->limit--;
    grpc_case_call(C + 2);
    grpc_case_ask();
    ck_assert_int_eq(grpc_case_reset_code(C + 2), CASE_REFUSED);
    grpc_case_reset(B);
    grpc_case_send();
    ck_assert_uint_eq(grpc_case_leased(), before);
    ck_assert(!grpc_case_session()->allowance);
}

/* A stream goes back to its client between two messages, and may end there. A
 * reply counts its own bytes, not those of the replies before it as well. */
UNIT_TEST(a_stream_ends_between_messages)
{
    const atomic_ullong *sent = &grpc_case.world->loop.context.metrics.sent;
    unsigned long long first = 0;

    grpc_case_headers(A, CASE_STREAM, 0);
    for (int i = 1; i <= 3; i++) {
        grpc_case_message(A, CASE_SMALL, false);
        grpc_case_send();
        call_state_expect(A, CALL_RUNNING);
        grpc_case_answer();
        call_state_expect(A, CALL_RECEIVING);
        ck_assert_int_eq(grpc_case_messages(A), i);
        if (i == 1)
            first = counter_value(sent);
        ck_assert_uint_gt(first, 0);
        ck_assert_uint_eq(counter_value(sent), (unsigned)i * first);
    }
    grpc_case_half_close(A);
    grpc_case_ask();
    grpc_case_expect_end(A, API_GRPC_OK, 3);
    ck_assert_uint_eq(grpc_case_requests(), 3);
}

static const struct {
    const char *prefix; /* NULL: a message for which there is no memory */
    int replies, code, counted;
} faults[] = {
    {"\2\0\0\0", 2, API_GRPC_INTERNAL, 400},
    {"\x81\0\0\0", 2, API_GRPC_INTERNAL, 400},
    {NULL, 1, API_GRPC_UNAVAILABLE, 503},
};

/* A fault behind whole messages ends a stream after their replies: a flag is 0
 * or 1. Without memory only the present message has one. */
LOOP_TEST(a_fault_of_a_stream_waits_for_the_replies_before, COUNT(faults))
{
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_send();
    grpc_case.world->service.jobs.budget.limit = 2 * grpc_case_leased();
    if (faults[_i].prefix)
        grpc_case_frame(FRAMES_DATA, 0, A, faults[_i].prefix, FRAMES_PREFIX);
    else
        grpc_case_message(A, CASE_LARGE, false);
    grpc_case_send();
    for (int i = 0; i < faults[_i].replies; i++) {
        call_state_expect(A, CALL_RUNNING);
        ck_assert_int_eq(grpc_case_code(A), -1);
        grpc_case_answer();
    }
    grpc_case_expect_end(A, faults[_i].code, faults[_i].replies);
    ck_assert_uint_eq(grpc_case_counted(200), (unsigned)faults[_i].replies);
    ck_assert_uint_eq(grpc_case_counted(faults[_i].counted), 1);
}

/* Messages of a WATCH. */
#define SERVING "\0\0\0\0\2\10\1"
#define NOT_SERVING "\0\0\0\0\2\10\2"

/* A WATCH tells each change once, and never compresses its few bytes. */
LOOP_TEST(a_watch_tells_changes, 2)
{
    call_state_bring(WATCHES, A, _i ? FRAMES_GZIP | FRAMES_ECHOES : 0);
    grpc_case_receive();
    grpc_case_expect_data(A, SERVING, 7);
    grpc_case_wait(500);
    grpc_case_receive();
    grpc_case_expect_data(A, SERVING, 7);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(300);
    grpc_case_receive();
    grpc_case_expect_data(A, SERVING NOT_SERVING, 14);
    grpc_case_expect_field(A, "grpc-encoding: ", false);
    call_state_expect(A, CALL_WATCHING);
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
    call_state_expect(A, CALL_SENDING);
    grpc_case_frame(FRAMES_WINDOW_UPDATE, 0, A, "\0\0\0\7", 4);
    grpc_case_send();
    grpc_case_wait(4000);
    call_state_expect(A, CALL_WATCHING);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(1500);
    call_state_expect(A, CALL_SENDING);
    call_state_widen(A);
    ck_assert_int_eq(grpc_case_messages(A), 2);
    call_state_expect(A, CALL_WATCHING);
}

/* A job for which the queue has no place is refused at once, one with a long
 * message by its prefix; those before it are not. */
LOOP_TEST(a_full_queue_refuses_a_call, 2)
{
    bool is_long = _i > 0;

    grpc_case_call(1);
    grpc_case_call(3);
    grpc_case_headers(5, CASE_INFER, 0);
    grpc_case_part(5, is_long ? CASE_LARGE : CASE_SMALL, 0,
                   is_long ? FRAMES_PREFIX : SIZE_MAX);
    if (!is_long)
        grpc_case_half_close(5);
    grpc_case_ask();
    call_state_expect(1, CALL_RUNNING);
    call_state_expect(3, CALL_RUNNING);
    grpc_case_expect_end(5, API_GRPC_UNAVAILABLE, 0);
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(1), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_code(3), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_counted(503), 1);
    ck_assert_uint_eq(grpc_case_rejected(METRICS_QUEUE_FULL), 1);
}

/* Not only an inference may be compressed: the two bytes of a field. */
LOOP_TEST(a_compressed_message_of_any_method_is_read, 2)
{
    static const char field[] = "\1\0\0\0\26\37\213\10\0\0\0\0\0\2\3"
                                "\23\140\4\0\70\60\34\174\2\0\0";

    /* a worker's, and one that no worker has */
    grpc_case_headers(A, _i ? CASE_INDEX : CASE_METADATA, FRAMES_GZIP);
    grpc_case_frame(FRAMES_DATA, FRAMES_END_STREAM, A, field, sizeof(field));
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_counted(200), 1);
    call_state_expect(A, CASE_NONE);
}

/* What a message that is no inference becomes takes more than its bytes: seven
 * times as much, and 1 KiB. One may hold three quarters of the budget and its
 * connection's 64 KiB. */
static const struct {
    size_t limit;
    const char *text;
} owned[] = {
    {8 << 20, NULL},
    {1, "grpc-message: the message needs 71024 bytes"},
    {20650, "grpc-message: the answer needs "}, /* 81024 are held */
};

LOOP_TEST(a_message_of_any_method_leases_what_it_becomes, COUNT(owned))
{
    static char message[FRAMES_PREFIX + 10000] = "\0\0\0\47\20\172\215\116";
    bool is_full = owned[_i].text != NULL;

    grpc_case.world->service.jobs.budget.limit = owned[_i].limit;
    grpc_case_headers(A, CASE_METADATA, 0);
    grpc_case_frame(FRAMES_DATA, FRAMES_END_STREAM, A, message,
                    sizeof(message));
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(A),
                     is_full ? API_GRPC_RESOURCE_EXHAUSTED : API_GRPC_OK);
    grpc_case_expect_field(A, is_full ? owned[_i].text : "grpc-message",
                           is_full);
    ck_assert_uint_eq(grpc_case_rejected(METRICS_INFLIGHT_BYTES), is_full);
}

FIXTURE(grpc_case_start, grpc_case_end)
