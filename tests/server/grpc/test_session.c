/* What a connection goes through from its first byte to its end, whoever ends
 * it and why. */
#include <string.h>

#include "server/http2/flood.h"
#include "tests/server/grpc/grpc_case.h"
#include "tests/unit.h"

enum { A = 1, B = 3, NO_STREAM = 0x7FFFFFFF };

/* Turns, and expects that the server has closed the connection. */
static void expect_end(void)
{
    grpc_case_receive();
    ck_assert(grpc_case.client.ended);
}

static void expect_open(void)
{
    grpc_case_receive();
    ck_assert(!grpc_case.client.ended);
}

/* A call whose job waits for a worker. */
static void open_call(uint32_t stream)
{
    grpc_case_headers(stream, CASE_INFER, 0);
    grpc_case_message(stream, CASE_SMALL, true);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_stage(stream), CASE_RUNNING);
}

static void answer_call(uint32_t stream)
{
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(stream), API_GRPC_OK);
}

/* A drain refuses nothing until the client has seen its notice: the notice, its
 * acknowledgement, the last GOAWAY, the last reply, the end. */
UNIT_TEST(a_drain_loses_no_call)
{
    grpc_case_expect_service(A);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(700);
    expect_open();
    ck_assert_int_eq(grpc_case_link(), LINK_NOTICED);
    ck_assert_int_eq(grpc_case_count(FRAMES_GOAWAY), 1);
    ck_assert_uint_eq(grpc_case_last_stream(), NO_STREAM);
    grpc_case_acknowledge();
    open_call(B);
    grpc_case_wait(SESSION_GRACE_MS + 200);
    expect_open();
    ck_assert_int_eq(grpc_case_link(), LINK_LEAVING);
    ck_assert_int_eq(grpc_case_count(FRAMES_GOAWAY), 2);
    ck_assert_uint_eq(grpc_case_last_stream(), B);
    ck_assert_int_eq(grpc_case_goaway(), 0);
    ck_assert_int_eq(grpc_case_stage(B), CASE_RUNNING);
    answer_call(B);
    expect_end();
    ck_assert_int_eq(grpc_case_link(), LINK_LINGERS);
}

/* A client that acknowledges nothing has longer, and then loses only the calls
 * behind the last GOAWAY. */
UNIT_TEST(a_drain_does_not_wait_for_a_deaf_client)
{
    grpc_case_expect_service(A);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(SESSION_GRACE_MS + 500);
    ck_assert_int_eq(grpc_case_link(), LINK_NOTICED);
    open_call(B);
    grpc_case_wait(SESSION_UNHEARD_MS - SESSION_GRACE_MS);
    ck_assert_int_eq(grpc_case_link(), LINK_LEAVING);
    grpc_case_headers(5, CASE_INFER, 0);
    grpc_case_message(5, CASE_SMALL, true);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_stage(5), CASE_NONE);
    answer_call(B);
    ck_assert_int_eq(grpc_case_code(5), -1);
    expect_end();
}

/* A balancer may not have noticed yet. */
UNIT_TEST(a_drain_serves_a_new_connection_for_a_moment)
{
    grpc_case_wait(1000);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_reconnect(false);
    frames_open(&grpc_case.frames);
    grpc_case_send();
    grpc_case_wait(300);
    ck_assert_int_eq(grpc_case_link(), LINK_SERVES);
    grpc_case_wait(400);
    ck_assert_int_eq(grpc_case_link(), LINK_NOTICED);
}

/* A client that goes on to send has half of the time that calls have. */
UNIT_TEST(a_stop_ends_busy_streams_later)
{
    grpc_case_options()->exit_timeout_secs = 20;
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_part(A, CASE_SMALL, 0, 10);
    grpc_case_send();
    world_set_phase(grpc_case.world, SERVICE_STOPPING);
    grpc_case_wait(9000);
    ck_assert_int_eq(grpc_case_link(), LINK_LEAVING);
    ck_assert_int_eq(grpc_case_stage(A), CASE_RECEIVING);
    grpc_case_wait(1500);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_UNAVAILABLE);
    expect_end();
}

/* The stream has ended, but not the bytes of its reply. */
UNIT_TEST(a_client_that_reads_nothing_is_cut_off)
{
    const struct metrics *metrics = &grpc_case.world->loop.context.metrics;

    if (!grpc_case_leave_unread(A, CASE_LARGE))
        return;
    ck_assert_int_eq(grpc_case_stage(A), CASE_NONE);
    grpc_case_options()->body_timeout = 2;
    grpc_case_wait(4500);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert_int_eq(grpc_case_link(), LINK_NONE);
    ck_assert_uint_eq(counter_value(&metrics->rejected[METRICS_SEND_TIMEOUT]),
                      1);
}

/* A client that leaves has the replies to what it has asked. */
UNIT_TEST(a_client_says_goaway)
{
    open_call(A);
    grpc_case_frame(FRAMES_GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0", 8);
    grpc_case_send();
    expect_open();
    ck_assert_int_eq(grpc_case_stage(A), CASE_RUNNING);
    answer_call(A);
    ck_assert_int_eq(grpc_case_link(), LINK_LINGERS);
}

/* Streams that wait for their client end when the port stops, and with them the
 * connection. */
UNIT_TEST(a_stop_ends_idle_streams)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_send();
    world_set_phase(grpc_case.world, SERVICE_STOPPING);
    grpc_case_wait(SESSION_UNHEARD_MS + 300);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_UNAVAILABLE);
    expect_end();
}

/* An abort closes at once, and says so; the struct stays while a worker has a
 * job of it. */
UNIT_TEST(an_abort_cuts_calls)
{
    open_call(A);
    world_set_phase(grpc_case.world, SERVICE_ABORTING);
    grpc_case_wait(200);
    expect_end();
    ck_assert(atomic_load(&grpc_case.world->service.has_cut));
    ck_assert_uint_eq(grpc_case_counted(METRICS_CLIENT_GONE), 1);
}

/* The socket stays for a moment behind the last byte, for a client that has
 * read all, and where it has not for as long as the minimum rate lets it. */
LOOP_TEST(a_session_lingers_until_the_client_has_read, 2)
{
    bool reads = _i == 0;

    grpc_case_options()->idle_timeout = 1;
    grpc_case_expect_service(A);
    if (!reads) {
        grpc_case_headers(B, CASE_INFER, 0);
        grpc_case_message(B, 3000, true);
        grpc_case_send();
        grpc_case_work();
        grpc_case_send();
    }
    grpc_case_wait(1200);
    if (reads) {
        grpc_case_receive();
        grpc_case_acknowledge();
        grpc_case_send();
    }
    grpc_case_wait(reads ? SESSION_GRACE_MS + 200 : SESSION_UNHEARD_MS + 200);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert_int_eq(grpc_case_link(), LINK_LINGERS);
    if (reads)
        expect_end();
    grpc_case_wait(CONNECTION_LINGER_MS + 200);
    if (!reads) {
        ck_assert_int_eq(grpc_case_link(), LINK_LINGERS);
        grpc_case_wait((uint64_t)grpc_case_options()->body_timeout * 1000 +
                       2 * PROGRESS_PERIOD_MS);
    }
    ck_assert_int_eq(grpc_case_link(), LINK_NONE);
}

/* A client that closes, too, ends it sooner. */
UNIT_TEST(a_session_does_not_linger_for_one_that_has_gone)
{
    grpc_case_options()->idle_timeout = 1;
    grpc_case_wait(1200);
    grpc_case_wait(SESSION_UNHEARD_MS + 200);
    expect_end();
    ck_assert_int_eq(grpc_case_link(), LINK_LINGERS);
    client_half_close(&grpc_case.client);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), LINK_NONE);
}

/* An idle connection is told to leave; one with a call is not. */
UNIT_TEST(an_idle_session_is_ended)
{
    grpc_case_options()->idle_timeout = 3;
    grpc_case_wait(2500);
    ck_assert_int_eq(grpc_case_link(), LINK_SERVES);
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_send();
    grpc_case_wait(4000);
    ck_assert_int_eq(grpc_case_link(), LINK_SERVES);
    grpc_case_reset(A);
    grpc_case_send();
    grpc_case_wait(2500);
    ck_assert_int_eq(grpc_case_link(), LINK_SERVES);
    grpc_case_wait(700);
    ck_assert_int_eq(grpc_case_link(), LINK_NOTICED);
}

/* An old connection is told to leave, with or without calls. */
UNIT_TEST(an_old_session_is_ended)
{
    grpc_case_options()->max_connection_age = 10;
    grpc_case_reconnect(false);
    frames_open(&grpc_case.frames);
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_send();
    grpc_case_wait(8900);
    ck_assert_int_eq(grpc_case_link(), LINK_SERVES);
    grpc_case_wait(2300);
    ck_assert_int_eq(grpc_case_link(), LINK_NOTICED);
    ck_assert_int_eq(grpc_case_stage(A), CASE_RECEIVING);
}

static const struct {
    const char *bytes; /* of the preface */
    size_t len;
} silent[] = {{"", 0}, {"PRI", 3}, {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24}};

/* A connection must send something in --idle-timeout. One that has begun is an
 * idle one, and ends as such. */
LOOP_TEST(a_preface_never_comes, COUNT(silent))
{
    grpc_case_options()->header_timeout = 2;
    grpc_case_options()->idle_timeout = 4;
    grpc_case_reconnect(false);
    frames_put(&grpc_case.frames, silent[_i].bytes, silent[_i].len);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(),
                     silent[_i].len > 0 ? LINK_SERVES : LINK_SILENT);
    grpc_case_wait(3700);
    expect_open();
    grpc_case_wait(500);
    if (silent[_i].len == 0) {
        expect_end();
        ck_assert_uint_eq(grpc_case.client.len, 0);
        return;
    }
    expect_open();
    grpc_case_wait(SESSION_UNHEARD_MS + CONNECTION_LINGER_MS);
    expect_end();
}

/* Headers must be whole in --header-timeout; then the connection ends, for
 * HPACK's state is lost. */
UNIT_TEST(headers_never_end)
{
    struct frames *frames = &grpc_case.frames;
    const unsigned char *head = (unsigned char *)frames->data;

    grpc_case_options()->header_timeout = 2;
    grpc_case_headers(A, CASE_INFER, FRAMES_SPLIT);
    frames->len = FRAMES_HEAD + ((size_t)head[1] << 8 | head[2]);
    grpc_case_send();
    grpc_case_wait(1700);
    expect_open();
    ck_assert_int_eq(grpc_case_stage(A), CASE_OPENED);
    grpc_case_wait(500);
    expect_end();
    ck_assert_ptr_null(grpc_case_session());
    ck_assert_uint_eq(grpc_case_requests(), 0);
}

static const char *const strangers[] = {
    "GET / HTTP/1.1\r\nHost: f\r\n\r\n",
    "PRI * HTTP/3.0\r\n\r\nSM\r\n\r\n",
    "\x16\x03\x01\x02\x01\x01\x01\xfc and what follows in TLS",
};

/* Another protocol ends the connection, HTTP/1 with words. */
LOOP_TEST(a_stranger_is_sent_away, COUNT(strangers))
{
    grpc_case_reconnect(false);
    frames_put(&grpc_case.frames, strangers[_i], strlen(strangers[_i]));
    grpc_case_send();
    expect_end();
    if (_i == 0)
        ck_assert_int_eq(memcmp(grpc_case.client.got, "HTTP/1.1 505 ", 13), 0);
    else
        ck_assert_uint_lt(grpc_case.client.len, 200);
}

/* Resets within the limit are served; beyond it the connection ends with a
 * reason, once, and what follows is not taken. */
UNIT_TEST(resets_are_a_flood)
{
    enum { RESETS = 20 };

    grpc_case_options()->grpc_max_resets = RESETS;
    grpc_case_reconnect(false);
    frames_open(&grpc_case.frames);
    for (uint32_t i = 0; i < RESETS; i++) {
        grpc_case_headers(2 * i + 1, CASE_STREAM, 0);
        grpc_case_reset(2 * i + 1);
    }
    grpc_case_send();
    expect_open();
    ck_assert_int_eq(grpc_case_link(), LINK_SERVES);
    for (uint32_t i = RESETS; i < 2 * RESETS; i++) {
        grpc_case_headers(2 * i + 1, CASE_STREAM, 0);
        grpc_case_reset(2 * i + 1);
    }
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), LINK_LINGERS);
    expect_end();
    ck_assert_int_eq(grpc_case_goaway(), CASE_CALM);
    ck_assert_int_eq(grpc_case_count(FRAMES_GOAWAY), 1);
    ck_assert_uint_eq(
        atomic_load(
            &grpc_case.world->loop.context.metrics.rejected[METRICS_FLOOD]),
        1);
}

/* It may be one that was closed and forgotten: no call may be lost unseen. */
UNIT_TEST(streams_do_not_go_back)
{
    grpc_case_expect_service(5);
    grpc_case_headers(B, CASE_INFER, 0);
    grpc_case_send();
    expect_end();
    ck_assert_int_eq(grpc_case_goaway(), CASE_PROTOCOL);
}

/* Headers without a path. */
static void add_invalid(uint32_t stream)
{
    grpc_case_frame(FRAMES_HEADERS, FRAMES_END_HEADERS, stream, "\x82", 1);
}

/* Each has nghttp2 reset a stream. */
UNIT_TEST(invalid_frames_are_a_flood)
{
    enum { RESETS = 20 };

    grpc_case_options()->grpc_max_resets = RESETS;
    grpc_case_reconnect(false);
    frames_open(&grpc_case.frames);
    for (uint32_t i = 0; i < RESETS; i++)
        add_invalid(2 * i + 1);
    grpc_case_send();
    expect_open();
    for (uint32_t i = RESETS; i < 2 * RESETS; i++)
        add_invalid(2 * i + 1);
    grpc_case_send();
    expect_end();
    ck_assert_int_eq(grpc_case_goaway(), CASE_CALM);
}

static void add_pings(int count)
{
    for (int i = 0; i < count; i++)
        grpc_case_frame(FRAMES_PING, 0, 0, "12345678", 8);
}

/* What follows a flood is dropped. */
static void expect_flood(void)
{
    enum { PINGS_AFTER = 50 };

    expect_end();
    ck_assert_int_eq(grpc_case_goaway(), CASE_CALM);
    ck_assert_int_eq(grpc_case_link(), LINK_LINGERS);
    add_pings(PINGS_AFTER);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), LINK_LINGERS);
    ck_assert_uint_eq(
        atomic_load(
            &grpc_case.world->loop.context.metrics.rejected[METRICS_FLOOD]),
        1);
}

/* Frames that ask for nothing are answered up to a number; time earns more. */
UNIT_TEST(pings_are_a_flood)
{
    enum { PINGS = 50 };

    for (int sent = 0; sent + 3 * PINGS < FLOOD_FRAMES_MAX; sent += PINGS) {
        add_pings(PINGS);
        grpc_case_send();
        expect_open();
    }
    grpc_case_wait(1000);
    for (int i = 0; i < 5; i++) {
        add_pings(PINGS);
        grpc_case_send();
        expect_open();
    }
    for (int sent = 0; sent < FLOOD_FRAMES && grpc_case_link() == LINK_SERVES;
         sent += PINGS) {
        add_pings(PINGS);
        grpc_case_send();
    }
    expect_flood();
}

/* A client may acknowledge each frame of a reply at once, however short its
 * windows have made them: for the stream, for the connection, with a PING. */
UNIT_TEST(acknowledgements_are_no_flood)
{
    enum { FRAMES = 5000 };

    grpc_case_frame(FRAMES_SETTINGS, 0, 0, "\0\4\0\0\0\1", 6);
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_message(A, CASE_LARGE, true);
    grpc_case_send();
    grpc_case_work();
    for (int i = 0; i < FRAMES; i++) {
        grpc_case_frame(FRAMES_WINDOW_UPDATE, 0, A, "\0\0\0\1", 4);
        grpc_case_frame(FRAMES_WINDOW_UPDATE, 0, 0, "\0\0\0\1", 4);
        add_pings(1);
        grpc_case_send();
        expect_open();
    }
    ck_assert_int_gt(grpc_case_count(FRAMES_DATA), FRAMES);
    ck_assert_int_eq(grpc_case_goaway(), -1);
    grpc_case_reset(A);
    grpc_case_send();
}

/* So are those whose answers the client does not read. */
UNIT_TEST(answers_that_nobody_reads_are_a_flood)
{
    add_pings(5000);
    grpc_case_send();
    expect_flood();
}

FIXTURE(grpc_case_start, grpc_case_end)
