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

/* Time passes; then the connection is there. */
static void expect_after(uint64_t ms, int link)
{
    grpc_case_wait(ms);
    ck_assert_int_eq(grpc_case_link(), link);
}

/* A drain refuses nothing until the client has seen its notice: the notice, its
 * acknowledgement, the last GOAWAY, the last reply, the end. A client that
 * acknowledges nothing has longer. Both lose only the calls behind the last
 * GOAWAY. */
LOOP_TEST(a_drain_loses_no_call, 2)
{
    bool is_deaf = _i > 0;

    grpc_case_expect_service(A);
    grpc_case_frame(FRAMES_PING, FRAMES_ACK, 0, "12345678", 8); /* of none */
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), SESSION_SERVES);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    expect_after(is_deaf ? SESSION_GRACE_MS + 500 : 700, SESSION_NOTICED);
    expect_open();
    ck_assert_int_eq(grpc_case_count(FRAMES_GOAWAY), 1);
    ck_assert_uint_eq(grpc_case_last_stream(), NO_STREAM);
    if (is_deaf)
        grpc_case_frame(FRAMES_PING, 0, 0, "12345678", 8);
    else
        grpc_case_acknowledge();
    grpc_case_call(B);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(),
                     is_deaf ? SESSION_NOTICED : SESSION_ACKNOWLEDGED);
    expect_after(is_deaf ? SESSION_UNHEARD_MS - SESSION_GRACE_MS
                         : SESSION_GRACE_MS + 200,
                 SESSION_LEAVING);
    expect_open();
    ck_assert_int_eq(grpc_case_count(FRAMES_GOAWAY), 2);
    ck_assert_uint_eq(grpc_case_last_stream(), B);
    ck_assert_int_eq(grpc_case_goaway(), 0);
    ck_assert_int_eq(grpc_case_stage(B), CALL_RUNNING);
    grpc_case_call(5);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_stage(5), CASE_NONE);
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(B), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_code(5), -1);
    expect_end();
    ck_assert_int_eq(grpc_case_link(), CASE_LINGERS);
}

/* A balancer may not have noticed yet; and a client that has just connected may
 * be about to send. */
LOOP_TEST(an_end_spares_a_new_connection_for_a_moment, 2)
{
    bool stops = _i > 0;

    grpc_case_wait(1000);
    if (!stops)
        world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_reconnect(false);
    if (!stops)
        frames_open(&grpc_case.frames);
    world_set_phase(grpc_case.world,
                    stops ? SERVICE_STOPPING : SERVICE_DRAINING);
    grpc_case_send();
    grpc_case_wait(300);
    ck_assert_int_eq(grpc_case_link(),
                     stops ? SESSION_OPENING : SESSION_SERVES);
    grpc_case_wait(400);
    ck_assert_int_eq(grpc_case_link(), stops ? CASE_NONE : SESSION_NOTICED);
}

/* Streams that wait for their client end when the port stops, and with them the
 * connection. A client that goes on to send has half of the time that calls
 * have. */
LOOP_TEST(a_stop_ends_streams, 2)
{
    bool is_busy = _i > 0;

    grpc_case_options()->exit_timeout_secs = 20;
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_part(A, CASE_SMALL, 0, is_busy ? 10 : 0);
    grpc_case_send();
    world_set_phase(grpc_case.world, SERVICE_STOPPING);
    if (is_busy) {
        expect_after(9000, SESSION_LEAVING);
        ck_assert_int_eq(grpc_case_stage(A), CALL_RECEIVING);
    }
    grpc_case_wait(is_busy ? 1500 : SESSION_UNHEARD_MS + 300);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_UNAVAILABLE);
    expect_end();
}

/* The stream has ended, but not the bytes of its reply. */
UNIT_TEST(a_client_that_reads_nothing_is_cut_off)
{
    if (!grpc_case_leave_unread(A, CASE_LARGE))
        return;
    ck_assert_int_eq(grpc_case_stage(A), CASE_NONE);
    grpc_case_options()->body_timeout = 2;
    grpc_case_wait(4500);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert_int_eq(grpc_case_link(), CASE_NONE);
    ck_assert_uint_eq(grpc_case_rejected(METRICS_SEND_TIMEOUT), 1);
}

/* The socket stays for a moment behind the last byte, for a client that has
 * read all, and where it has not for as long as the minimum rate lets it. One
 * that closes, too, ends it sooner. */
LOOP_TEST(a_session_lingers_until_the_client_has_read, 3)
{
    bool reads = _i != 1, closes = _i == 2;

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
    expect_after(reads ? SESSION_GRACE_MS + 200 : SESSION_UNHEARD_MS + 200,
                 CASE_LINGERS);
    ck_assert_ptr_null(grpc_case_session());
    if (reads)
        expect_end();
    if (closes) {
        client_half_close(&grpc_case.client);
        grpc_case_send();
    } else {
        grpc_case_wait(CONNECTION_LINGER_MS + 200);
    }
    if (!reads) {
        ck_assert_int_eq(grpc_case_link(), CASE_LINGERS);
        grpc_case_wait((uint64_t)grpc_case_options()->body_timeout * 1000 +
                       2 * PROGRESS_PERIOD_MS);
    }
    ck_assert_int_eq(grpc_case_link(), CASE_NONE);
}

/* An idle connection is told to leave; one with a call is not. */
UNIT_TEST(an_idle_session_is_ended)
{
    grpc_case_options()->idle_timeout = 3;
    expect_after(2500, SESSION_SERVES);
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_send();
    expect_after(4000, SESSION_SERVES);
    grpc_case_reset(A);
    grpc_case_send();
    expect_after(2500, SESSION_SERVES);
    expect_after(700, SESSION_NOTICED);
}

/* An old connection is told to leave, with or without calls. */
UNIT_TEST(an_old_session_is_ended)
{
    grpc_case_options()->max_connection_age = 10;
    grpc_case_reopen(false);
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_send();
    expect_after(8900, SESSION_SERVES);
    expect_after(2300, SESSION_NOTICED);
    ck_assert_int_eq(grpc_case_stage(A), CALL_RECEIVING);
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
                     silent[_i].len > 0 ? SESSION_SERVES : SESSION_OPENING);
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
    grpc_case_options()->header_timeout = 2;
    grpc_case_half_headers(A, 0);
    grpc_case_send();
    grpc_case_wait(1700);
    expect_open();
    ck_assert_int_eq(grpc_case_stage(A), CALL_OPEN);
    grpc_case_wait(500);
    expect_end();
    ck_assert_int_eq(grpc_case_goaway(), 0);
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
    if (_i == 0) {
        ck_assert_int_eq(memcmp(grpc_case.client.got, "HTTP/1.1 505 ", 13), 0);
        ck_assert_ptr_nonnull(memmem(grpc_case.client.got, grpc_case.client.len,
                                     "at --http-port\"}", 16));
    } else {
        ck_assert_uint_lt(grpc_case.client.len, 200);
    }
}

/* A stream that its client resets, or nghttp2: for headers without a path. */
static void add_reset(int i, bool by_client)
{
    uint32_t stream = 2 * (uint32_t)i + 1;

    if (by_client) {
        grpc_case_headers(stream, CASE_STREAM, 0);
        grpc_case_reset(stream);
    } else {
        grpc_case_frame(FRAMES_HEADERS, FRAMES_END_HEADERS, stream, "\x82", 1);
    }
}

/* Resets within the limit are served; beyond it the connection ends with a
 * reason, once, and what follows is not taken. */
LOOP_TEST(resets_are_a_flood, 2)
{
    enum { RESETS = 20 };

    grpc_case_options()->grpc_max_resets = RESETS;
    grpc_case_reopen(false);
    for (int i = 0; i < RESETS; i++)
        add_reset(i, _i == 0);
    grpc_case_send();
    expect_open();
    ck_assert_int_eq(grpc_case_link(), SESSION_SERVES);
    for (int i = RESETS; i < 2 * RESETS; i++)
        add_reset(i, _i == 0);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), CASE_LINGERS);
    expect_end();
    ck_assert_int_eq(grpc_case_goaway(), CASE_CALM);
    ck_assert_int_eq(grpc_case_count(FRAMES_GOAWAY), 1);
    ck_assert_uint_eq(grpc_case_rejected(METRICS_FLOOD), 1);
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
    ck_assert_int_eq(grpc_case_link(), CASE_LINGERS);
    add_pings(PINGS_AFTER);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), CASE_LINGERS);
    ck_assert_uint_eq(grpc_case_rejected(METRICS_FLOOD), 1);
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
    for (int sent = 0;
         sent < FLOOD_FRAMES && grpc_case_link() == SESSION_SERVES;
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
