/* What becomes of connections of HTTP/1 when the service drains, stops and
 * aborts, and of those whose handshake goes on. */
#include <errno.h>
#include <string.h>

#include "server/mhd/engine.h"
#include "tests/fuzz/machine.h"
#include "tests/server/http/http_case.h"
#include "tests/unit.h"

static void expect_a_reply(void)
{
    http_case_ask(0, CASE_METADATA);
    ck_assert_ptr_null(
        strstr(http_case_receive(0), "\r\nConnection: close\r\n"));
}

static void expect_the_last_reply(void)
{
    ck_assert_int_eq(http_case_has_ended(0), 0);
    http_case_send(0, CASE_METADATA);
    http_case_turn();
    ck_assert_ptr_nonnull(
        strstr(http_case_receive(0), "\r\nConnection: close\r\n"));
    ck_assert_int_eq(http_case_has_ended(0), 1);
}

UNIT_TEST(a_reply_of_a_draining_service_is_the_last)
{
    http_case_start(WORLD_OPEN);
    expect_a_reply();
    world_set_phase(http_case.world, SERVICE_DRAINING);
    http_case_wait(1000);
    expect_the_last_reply();
}

UNIT_TEST(a_reply_of_an_old_connection_is_the_last)
{
    http_case_start(WORLD_OPEN);
    http_case.world->options.max_connection_age = 10;
    expect_a_reply();
    http_case_wait(11100);
    expect_the_last_reply();
}

UNIT_TEST(a_draining_service_is_not_ready)
{
    http_case_start(WORLD_OPEN);
    for (int draining = 0; draining < 2; draining++) {
        http_case_ask(draining, "GET /v2/health/ready HTTP/1.1\r\n" HEAD);
        ck_assert_ptr_nonnull(
            strstr(http_case_receive(draining), draining ? " 503 " : " 200 "));
        world_set_phase(http_case.world, SERVICE_DRAINING);
    }
}

UNIT_TEST(a_stop_closes_idle_connections)
{
    http_case_start(WORLD_OPEN);
    http_case_connect(0);
    http_case_ask(1, CASE_METADATA);
    http_case_ask(2, CASE_HALF);
    http_case_receive(1);
    world_set_phase(http_case.world, SERVICE_STOPPING);
    http_case_turn();
    machine_advance_ms(CASE_TICK_MS / 2);
    http_case_turn();
    ck_assert_int_eq(http_case_has_ended(0) + http_case_has_ended(1), 0);
    http_case_wait(200);
    ck_assert_int_eq(http_case_has_ended(0) + http_case_has_ended(1), 2);
    http_case_wait(500);
    ck_assert_int_eq(http_case_has_ended(2), 0);
    ck_assert(!atomic_load(&http_case.world->service.has_cut));
}

UNIT_TEST(a_stop_answers_what_has_just_come)
{
    http_case_start(WORLD_OPEN);
    http_case_ask(0, CASE_METADATA);
    http_case_receive(0);
    machine_advance_ms(2 * CASE_TICK_MS);
    world_set_phase(http_case.world, SERVICE_STOPPING);
    http_case_send(0, CASE_METADATA);
    http_case_turn();
    ck_assert_ptr_nonnull(
        strstr(http_case_receive(0), "\r\nConnection: close\r\n"));
    ck_assert_int_eq(http_case_has_ended(0), 1);
}

/* Whether its client would miss something. */
static const struct {
    const char *text;
    bool read; /* by the server */
    bool cut;
} aborted[] = {
    {"", true, false},
    {CASE_METADATA, true, false},
    {"", false, false},
    {CASE_METADATA, false, true},
    {CASE_HALF, true, true},
    {CASE_INFER, true, true},
    {CASE_POST "Content-Length: 20\r\n\r\n{", true, true},
};

static void expect_abort(bool cut)
{
    machine_advance_ms(CASE_TICK_MS);
    world_set_phase(http_case.world, SERVICE_ABORTING);
    http_case_turn();
    ck_assert_int_eq(atomic_load(&http_case.world->service.has_cut), cut);
    ck_assert_uint_eq(http_case_open(), 0);
    atomic_store(&http_case.world->service.has_cut, false);
}

LOOP_TEST(an_abort_is_reported_if_a_client_misses_a_reply, COUNT(aborted))
{
    http_case_start(WORLD_OPEN);
    http_case.world->options.inline_limit = 0;
    http_case_connect(0);
    http_case_send(0, aborted[_i].text);
    if (aborted[_i].read)
        http_case_turn();
    expect_abort(aborted[_i].cut);
}

UNIT_TEST(an_abort_is_reported_if_a_client_has_not_read)
{
    http_case_start(WORLD_OPEN);
    http_case_connect(0);
    http_case_leave_unread(0);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), 1);
    expect_abort(true);
}

UNIT_TEST(the_admin_port_reports_no_abort)
{
    http_case_start(WORLD_ADMIN);
    http_case_ask(0, CASE_HALF);
    world_set_phase(http_case.world, SERVICE_ABORTING);
    http_case_wait(CASE_TICK_MS);
    ck_assert_uint_eq(http_case_open(), 0);
    ck_assert(!atomic_load(&http_case.world->service.has_cut));
}

/* A layer such as TLS whose handshake waits for the client. */
static int handshakes;

/* Ends with the client's first byte. */
static ssize_t shake_hands(void *self)
{
    char byte;

    if (handshakes > 0)
        return plain_socket_io.recv(self, &byte, 1);
    errno = EAGAIN;
    return -1;
}

static const char *fault;

static const char *fault_below(const void *self)
{
    (void)self;
    return fault;
}

static ssize_t receive_below(void *self, void *data, size_t size)
{
    return plain_socket_io.recv(self, data, size);
}

static ssize_t send_below(void *self, const struct iovec *parts, size_t count,
                          int flags)
{
    return plain_socket_io.sendv(self, parts, count, flags);
}

static const struct socket_io below = {
    .recv = receive_below,
    .sendv = send_below,
    .handshake = shake_hands,
    .fault = fault_below,
};

/* Client 0, whose handshake is not done. */
static void connect_above(enum world_kind kind)
{
    struct connection_state *state;
    struct transport *transport;

    http_case_start(kind);
    http_case_connect(0);
    state = TAILQ_FIRST(
        &http_case.world->loop.connections.queues[CONNECTION_ACCEPTED]);
    transport = (struct transport *)(uintptr_t)engine_transport(state->engine);
    transport->layer = (struct socket_layer){&below, &transport->fd};
    transport->established = false;
    connection_state_enter(state, CONNECTION_HEADERS);
    handshakes = 0;
}

UNIT_TEST(a_handshake_that_does_not_end_is_counted_and_has_no_reply)
{
    connect_above(WORLD_NARROW);
    http_case_wait(1200);
    ck_assert_str_eq(http_case_receive(0), "");
    ck_assert_int_eq(http_case_has_ended(0), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_HEADER_TIMEOUT), 1);
}

UNIT_TEST(after_the_handshake_a_connection_is_idle)
{
    connect_above(WORLD_NARROW);
    handshakes = 1;
    http_case_send(0, "h");
    http_case_turn();
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), 1);
    http_case_send(0, CASE_METADATA);
    http_case_turn();
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 200 OK"));
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), 1);
}

/* The log has it for who debugs, with the stage. */
LOOP_TEST(a_fault_of_a_layer_is_logged, 6)
{
    bool established = _i % 2 > 0, debugs = _i < 4, logged = _i < 2;
    char stage[64];
    const char *line;

    connect_above(WORLD_OPEN);
    atomic_store(&http_case.world->log.levels,
                 1u << (debugs ? LOG_DEBUG : LOG_INFO));
    handshakes = established;
    fault = _i / 2 == 1 ? NULL : "no shared cipher";
    http_case_send(0, "h");
    http_case_turn();
    client_close(&http_case.clients[0]);
    http_case_wait(200);
    ck_assert_uint_eq(http_case_open(), 0);
    line = http_case_line(" TLS ");
    snprintf(stage, sizeof(stage), " stage=%s reason=\"no shared cipher\"",
             established ? "established" : "handshake");
    ck_assert_int_eq(!!strstr(line, " debug TLS failed client=[::1]:1 "),
                     logged);
    ck_assert_int_eq(!!strstr(line, stage), logged);
}

UNIT_TEST(a_stop_waits_for_a_handshake_that_goes_on)
{
    connect_above(WORLD_OPEN);
    world_set_phase(http_case.world, SERVICE_STOPPING);
    http_case_wait(300);
    ck_assert_int_eq(http_case_has_ended(0), 0);
    http_case_wait(300);
    ck_assert_int_eq(http_case_has_ended(0), 1);
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        ck_assert_uint_eq(http_case_rejected((enum metrics_rejection)i), 0);
}

UNIT_TEST(an_abort_of_a_handshake_is_not_reported)
{
    connect_above(WORLD_OPEN);
    expect_abort(false);
}

FIXTURE(http_case_set_up, http_case_tear_down)
