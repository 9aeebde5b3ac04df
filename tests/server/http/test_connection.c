/* Which connections of HTTP/1 end by a limit, what their clients are told, and
 * what is counted; what becomes of them when the service drains, stops and
 * aborts, and of those whose handshake goes on. */
#include <errno.h>
#include <string.h>

#include "server/mhd/engine.h"
#include "tests/fuzz/machine.h"
#include "tests/server/http/http_case.h"
#include "tests/unit.h"

enum {
    WAIT_MS = 1100,   /* the oldest of a full port may be closed after */
    PIPELINED = 4000, /* requests whose replies fill any socket */
    READ_A_SECOND = 8 << 10,
    BLANKS = 200000, /* bytes of a document */
};

static void start_small(void)
{
    http_case_start(WORLD_ADMIN);
    http_case.world->profile.serves = NULL;
}

/* Fills the port with clients, of which each was served and has read the reply.
 */
static void fill(void)
{
    start_small();
    for (int i = 0; i < CASE_CLIENTS; i++) {
        http_case_ask(i, CASE_METADATA);
        http_case_gets(i, " 200 OK");
    }
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), CASE_CLIENTS);
}

UNIT_TEST(the_oldest_idle_connection_makes_room)
{
    fill();
    http_case_wait(WAIT_MS);
    for (int i = 0; i < CASE_CLIENTS; i++)
        ck_assert_int_eq(http_case_has_ended(i), i == 0);
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 1);
}

UNIT_TEST(a_connection_with_an_unread_request_does_not)
{
    fill();
    machine_advance_ms(WAIT_MS);
    http_case_send(0, CASE_METADATA);
    world_turn(http_case.world);
    http_case_turn();
    http_case_gets(0, " 200 OK");
    ck_assert_int_eq(http_case_has_ended(0), 0);
    ck_assert_int_eq(http_case_has_ended(1), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 1);
}

/* A lingering socket would count. */
UNIT_TEST(one_that_has_not_read_its_replies_makes_room_at_once)
{
    start_small();
    http_case_connect(0, false);
    http_case_leave_unread(0);
    for (int i = 1; i < CASE_CLIENTS; i++)
        http_case_ask(i, CASE_METADATA);
    http_case_wait(WAIT_MS);
    ck_assert_uint_eq(http_case_open(), CASE_CLIENTS - 1);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), CASE_CLIENTS - 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 1);
}

UNIT_TEST(half_a_request_that_makes_room_is_told_why)
{
    fill();
    http_case_say(CASE_CLIENTS - 1, CASE_HALF);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_HEADERS), 1);
    http_case_wait(WAIT_MS);
    http_case_gets(CASE_CLIENTS - 1,
                   " 408 |\"the headers have not arrived yet and the port is "
                   "full: max-connections is 8\"");
    ck_assert_int_eq(http_case_has_ended(0), 0);
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_HEADER_TIMEOUT), 0);
}

UNIT_TEST(who_waits_for_a_worker_makes_no_room)
{
    start_small();
    http_case.world->options.inline_limit = 0;
    http_case.world->service.workers.queue.settings =
        (struct queue_settings){.max_waiting = CASE_CLIENTS, .workers = 1};
    for (int i = 0; i < CASE_CLIENTS; i++)
        http_case_ask(i, CASE_INFER);
    http_case_wait(2 * WAIT_MS);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_WORK), CASE_CLIENTS);
    http_case_work();
    for (int i = 0; i < CASE_CLIENTS; i++)
        http_case_gets(i, " 200 OK");
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 0);
}

/* Client 1 asks until the replies that it does not read fill its socket. */
static void ask_in_vain(const char *text)
{
    http_case_connect(1, true);
    for (int i = 0; i < PIPELINED && http_case_in_stage(CONNECTION_SEND) == 0;
         i++) {
        http_case_send(1, text);
        world_turn(http_case.world);
    }
    http_case_turn();
    ck_assert_int_eq(http_case_in_stage(CONNECTION_SEND), 1);
}

UNIT_TEST(a_reply_that_is_not_read_is_counted)
{
    http_case_start(WORLD_NARROW);
    ask_in_vain(CASE_METADATA);
    http_case_wait(1500);
    ck_assert_uint_eq(http_case_open(), 0);
    ck_assert_uint_eq(http_case_rejected(METRICS_SEND_TIMEOUT), 1);
}

UNIT_TEST(a_refusal_that_is_not_read_is_counted_twice)
{
    uint64_t requests;

    http_case_start(WORLD_NARROW);
    http_case.world->service.workers.queue.settings.max_delay_ns = 0;
    http_case_ask(0, CASE_INFER); /* makes the queue full */
    ck_assert_int_eq(http_case_in_stage(CONNECTION_WORK), 1);
    requests = world_request_count(http_case.world);
    ask_in_vain(CASE_INFER);
    ck_assert_uint_eq(http_case_rejected(METRICS_SEND_TIMEOUT), 0);
    http_case_wait(1500);
    ck_assert_uint_eq(http_case_open(), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_SEND_TIMEOUT), 1);
    ck_assert_uint_gt(http_case_rejected(METRICS_QUEUE_FULL), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_QUEUE_FULL),
                      world_request_count(http_case.world) - requests);
}

UNIT_TEST(a_client_that_reads_slowly_gets_all)
{
    http_case.world->options.body_timeout = 2;
    http_case.world->options.inline_limit = 0;
    http_case_connect(0, true);
    http_case_send_all(0, http_case_infer(CASE_LARGE));
    http_case_work();
    ck_assert_int_eq(http_case_in_stage(CONNECTION_SEND), 1);
    for (int i = 0; i < 5; i++) {
        client_receive(&http_case.clients[0], READ_A_SECOND);
        http_case_wait(1000);
    }
    ck_assert_int_eq(http_case_in_stage(CONNECTION_SEND), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_SEND_TIMEOUT), 0);
    http_case_receive_all(0);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), 1);
    ck_assert_uint_gt(http_case.clients[0].len, 2 * CASE_LARGE);
}

/* Nor may the line of the request come: no more is known of it then. */
static const struct {
    const char *text;
    uint64_t waits_ms, ends_ms;
    enum metrics_rejection reason;
} late[] = {
    {CASE_HALF, 900, 300, METRICS_HEADER_TIMEOUT},
    {"GET /v2", 900, 300, METRICS_HEADER_TIMEOUT},
    {CASE_POST "Content-Length: 20\r\n\r\n{", 900, 1600, METRICS_BODY_TIMEOUT},
};

static void times_out(uint64_t ms, enum metrics_rejection reason)
{
    http_case_wait(ms);
    http_case_gets(0, reason == METRICS_BODY_TIMEOUT
                          ? " 408 |\"the body did not arrive in time: "
                            "body-timeout, in seconds, is 1\""
                          : " 408 |\"the headers did not arrive in time: "
                            "header-timeout, in seconds, is 1\"");
    ck_assert_int_eq(http_case_has_ended(0), 1);
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        ck_assert_uint_eq(http_case_rejected((enum metrics_rejection)i),
                          i == (int)reason);
}

LOOP_TEST(what_does_not_come_is_refused_and_counted, COUNT(late))
{
    http_case_start(WORLD_NARROW);
    http_case_ask(0, late[_i].text);
    http_case_wait(late[_i].waits_ms);
    ck_assert_int_eq(http_case_has_ended(0), 0);
    times_out(late[_i].ends_ms, late[_i].reason);
    ck_assert_uint_eq(world_request_count(http_case.world), 1);
    ck_assert_uint_eq(http_case_count(408), 1);
}

UNIT_TEST(single_bytes_do_not_move_the_end_of_the_headers)
{
    http_case_start(WORLD_NARROW);
    http_case_ask(0, CASE_HALF);
    for (int i = 0; i < 4; i++) {
        http_case_wait(200);
        http_case_say(0, "f");
    }
    times_out(300, METRICS_HEADER_TIMEOUT);
}

static int closed;

static void count_closed(void *context)
{
    closed++;
}

UNIT_TEST(the_listener_hears_of_each_end)
{
    http_case.world->profile.on_closed = count_closed;
    http_case_ask(0, CASE_METADATA);
    http_case_connect(1, false);
    ck_assert_int_eq(closed, 0);
    client_close(&http_case.clients[0]);
    client_close(&http_case.clients[1]);
    http_case_wait(200);
    ck_assert_int_eq(closed, 2);
}

/* Others are refused for lack of memory: the rate of those that hold some
 * rises, for those that hold none it would free nothing. */
UNIT_TEST(under_pressure_a_large_body_must_come_faster)
{
    static char blanks[BLANKS + 1];

    memset(blanks, ' ', BLANKS);
    http_case_ask(0, CASE_POST "Content-Length: 1000000\r\n\r\n");
    http_case_ask(1, CASE_POST "Content-Length: 60000\r\n\r\n");
    http_case_send_all(0, blanks);
    blanks[2000] = '\0';
    for (int i = 0; i < 8 && !http_case.clients[0].ended; i++) {
        atomic_store(&http_case.world->service.jobs.budget.refusals, 1);
        http_case_wait(500);
        http_case_send(0, blanks);
        http_case_send(1, blanks);
        atomic_store(&http_case.world->service.jobs.budget.refusals, 1);
        http_case_wait(500);
        client_receive(&http_case.clients[0], SIZE_MAX);
    }
    http_case_gets(0, " 408 ");
    ck_assert_int_eq(http_case_has_ended(1), 0);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_BODY), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_BODY_TIMEOUT), 1);
}

UNIT_TEST(who_sends_nothing_is_hung_up_on_without_a_word)
{
    http_case_start(WORLD_NARROW);
    http_case_connect(0, false);
    http_case_ask(1, CASE_METADATA);
    http_case_receive(1);
    http_case_wait(1900);
    ck_assert_int_eq(http_case_has_ended(0) + http_case_has_ended(1), 0);
    http_case_wait(300);
    ck_assert_str_eq(http_case_receive(0), "");
    ck_assert_str_eq(http_case_receive(1), "");
    ck_assert_int_eq(http_case_has_ended(0) + http_case_has_ended(1), 2);
    for (int i = 0; i < METRICS_REJECTIONS; i++)
        ck_assert_uint_eq(http_case_rejected((enum metrics_rejection)i), 0);
}

UNIT_TEST(buffers_are_given_back_between_requests)
{
    const atomic_size_t *leased;

    leased = &http_case.world->service.jobs.budget.leased;
    http_case_connect(0, false);
    http_case_send_all(0, http_case_infer(CASE_LARGE));
    http_case_work();
    http_case_receive_all(0);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), 1);
    ck_assert_uint_gt(atomic_load(leased), 0);
    http_case_wait(1200);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), 1);
    ck_assert_uint_eq(atomic_load(leased), 0);
}

static const char *const halves[] = {CASE_METADATA, CASE_HALF,
                                     CASE_POST "Content-Length: 20\r\n\r\n{"};

LOOP_TEST(the_end_of_a_client_in_its_request_is_seen, COUNT(halves))
{
    http_case_connect(0, false);
    http_case_send(0, halves[_i]);
    client_half_close(&http_case.clients[0]);
    http_case_turn();
    http_case_wait(CASE_TICK_MS);
    ck_assert_int_eq(http_case_has_ended(0), 1);
    ck_assert_uint_eq(http_case_open(), 0);
}

/* Of a draining service, and of an old connection. */
LOOP_TEST(a_reply_is_the_last, 2)
{
    http_case.world->options.max_connection_age = _i ? 10 : 0;
    http_case_ask(0, CASE_METADATA);
    http_case_gets(0, "!\r\nConnection: close\r\n");
    if (_i == 0)
        world_set_phase(http_case.world, SERVICE_DRAINING);
    http_case_wait(_i ? 11100 : 1000);
    ck_assert_int_eq(http_case_has_ended(0), 0);
    http_case_say(0, CASE_METADATA);
    http_case_gets(0, "\r\nConnection: close\r\n");
    ck_assert_int_eq(http_case_has_ended(0), 1);
}

UNIT_TEST(a_draining_service_is_not_ready)
{
    for (int draining = 0; draining < 2; draining++) {
        http_case_ask(draining, "GET /v2/health/ready HTTP/1.1\r\n" HEAD);
        http_case_gets(draining, draining ? " 503 " : " 200 ");
        world_set_phase(http_case.world, SERVICE_DRAINING);
    }
}

UNIT_TEST(a_stop_closes_idle_connections)
{
    http_case_connect(0, false);
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
    http_case_ask(0, CASE_METADATA);
    http_case_receive(0);
    machine_advance_ms(2 * CASE_TICK_MS);
    world_set_phase(http_case.world, SERVICE_STOPPING);
    http_case_say(0, CASE_METADATA);
    http_case_gets(0, "\r\nConnection: close\r\n");
    ck_assert_int_eq(http_case_has_ended(0), 1);
}

/* Whether its client would miss something. */
static const struct {
    const char *text; /* NULL: replies are unread */
    bool read;        /* by the server */
    bool cut;
} aborted[] = {
    {CASE_HALF, true, false}, /* at the admin port */
    {NULL, true, true},
    {"", true, false},
    {CASE_METADATA, true, false},
    {"", false, false},
    {CASE_METADATA, false, true},
    {CASE_HALF, true, true},
    {CASE_INFER, true, true},
    {CASE_POST "Content-Length: 20\r\n\r\n{", true, true},
};

/* A tick comes before the loop reads: which of the two comes first in a turn,
 * versions of libuv disagree about. */
static void expect_abort(bool cut)
{
    world_set_phase(http_case.world, SERVICE_ABORTING);
    connection_list_check(&http_case.world->loop.connections);
    http_case_wait(CASE_TICK_MS);
    ck_assert_int_eq(atomic_load(&http_case.world->service.has_cut), cut);
    ck_assert_uint_eq(http_case_open(), 0);
    atomic_store(&http_case.world->service.has_cut, false);
}

LOOP_TEST(an_abort_is_reported_if_a_client_misses_a_reply, COUNT(aborted))
{
    http_case_start(_i == 0 ? WORLD_ADMIN : WORLD_OPEN);
    http_case.world->options.inline_limit = 0;
    http_case_connect(0, false);
    if (aborted[_i].text)
        http_case_send(0, aborted[_i].text);
    else
        http_case_leave_unread(0);
    if (aborted[_i].read)
        http_case_turn();
    expect_abort(aborted[_i].cut);
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
    http_case_connect(0, false);
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
    http_case_say(0, "h");
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), 1);
    http_case_say(0, CASE_METADATA);
    http_case_gets(0, " 200 OK");
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), 1);
}

/* The log has it for who debugs, with the stage. */
LOOP_TEST(a_fault_of_a_layer_is_logged, 6)
{
    bool established = _i % 2 > 0, debugs = _i < 4, logged = _i < 2;
    char parts[128];

    connect_above(WORLD_OPEN);
    atomic_store(&http_case.world->log.levels,
                 1u << (debugs ? LOG_DEBUG : LOG_INFO));
    handshakes = established;
    fault = _i / 2 == 1 ? NULL : "no shared cipher";
    http_case_say(0, "h");
    client_close(&http_case.clients[0]);
    http_case_wait(200);
    ck_assert_uint_eq(http_case_open(), 0);
    snprintf(parts, sizeof(parts),
             " debug TLS failed client=[::1]:1 | stage=%s reason=\"no shared "
             "cipher\"",
             established ? "established" : "handshake");
    http_case_has(http_case_line(" TLS "), logged ? parts : "! TLS ");
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
