/* What may end a connection, at each of its states, and whether a call that
 * begins there is served. */
#include <string.h>

#include "tests/fuzz/machine.h"
#include "tests/server/grpc/grpc_case.h"
#include "tests/unit.h"

enum { A = 1, B = 3, C = 5 }; /* streams */

enum state {
    SILENT,       /* nothing has come */
    SERVES,       /* it waits for calls */
    BUSY,         /* a worker has the job of a call */
    NOTICED,      /* its client was told of the end, */
    ACKNOWLEDGED, /* and has seen that */
    LEAVING,      /* the call that a worker has is the last */
    LINGERS,      /* our half is closed */
    STATES,
};

static const struct {
    int link;
    unsigned requests; /* that were counted before */
    bool has_job;
    bool serves; /* calls that begin now */
} states[STATES] = {
    [SILENT] = {SESSION_OPENING, 0, false, true},
    [SERVES] = {SESSION_SERVES, 0, false, true},
    [BUSY] = {SESSION_SERVES, 0, true, true},
    [NOTICED] = {SESSION_NOTICED, 1, false, true},
    [ACKNOWLEDGED] = {SESSION_ACKNOWLEDGED, 1, false, true},
    [LEAVING] = {SESSION_LEAVING, 1, true, false},
    [LINGERS] = {CASE_LINGERS, 1, false, false},
};

/* From one that serves to one that leaves. */
static void drain(enum state state)
{
    grpc_case_expect_service(A);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(700);
    if (state == NOTICED)
        return;
    grpc_case_receive();
    grpc_case_acknowledge();
    if (state == LEAVING)
        grpc_case_call(B);
    grpc_case_send();
    if (state >= LEAVING)
        grpc_case_wait(SESSION_GRACE_MS + 100);
}

static void bring_to(enum state state)
{
    if (state == SILENT) {
        grpc_case_reconnect(false);
    } else if (state == BUSY) {
        grpc_case_call(B);
        grpc_case_send();
    } else if (state > BUSY) {
        drain(state);
    }
    ck_assert_int_eq(grpc_case_link(), states[state].link);
}

static void expect_nothing_left(enum state state, bool answered)
{
    unsigned last = states[state].has_job;

    ck_assert_int_eq(grpc_case_link(), CASE_NONE);
    ck_assert_uint_eq(grpc_case_requests(), states[state].requests + last);
    ck_assert_uint_eq(grpc_case_counted(METRICS_CLIENT_GONE),
                      answered ? 0 : last);
    ck_assert_uint_le(machine_reset_count(), state == LINGERS);
}

/* A worker gives the job back that nobody waits for. A client that ends its
 * half alone sends nothing more, not even windows: its connection ends like
 * that of one that has gone. */
LOOP_TEST(a_client_closes, 2 * STATES)
{
    enum state state = (enum state)(_i / 2);

    bring_to(state);
    if (_i % 2 == 0)
        client_close(&grpc_case.client);
    else
        client_half_close(&grpc_case.client);
    grpc_case_send();
    grpc_case_work();
    grpc_case_wait(200);
    expect_nothing_left(state, false);
}

LOOP_TEST(a_service_aborts, STATES)
{
    bring_to((enum state)_i);
    world_set_phase(grpc_case.world, SERVICE_ABORTING);
    grpc_case_wait(200);
    grpc_case_receive();
    ck_assert(grpc_case.client.ended);
    ck_assert(atomic_load(&grpc_case.world->service.has_cut) ==
              states[_i].has_job);
    grpc_case_work();
    grpc_case_wait(200);
    expect_nothing_left((enum state)_i, false);
}

/* A stop loses no call, and ends the connection in time. */
LOOP_TEST(a_service_stops, STATES)
{
    bring_to((enum state)_i);
    world_set_phase(grpc_case.world, SERVICE_STOPPING);
    grpc_case_wait(SESSION_UNHEARD_MS + 300);
    if (states[_i].has_job)
        ck_assert_int_eq(grpc_case_link(), SESSION_LEAVING);
    grpc_case_answer();
    ck_assert(grpc_case.client.ended);
    if (states[_i].has_job)
        ck_assert_int_eq(grpc_case_code(B), API_GRPC_OK);
    grpc_case_wait(CONNECTION_LINGER_MS + 200);
    expect_nothing_left((enum state)_i, true);
}

/* A frame that no client may send ends the connection with a reason; where our
 * half is closed it is discarded. */
LOOP_TEST(a_client_breaks_the_protocol, STATES)
{
    bring_to((enum state)_i);
    grpc_case_frame(FRAMES_DATA, 0, 0, "x", 1);
    grpc_case_ask();
    ck_assert(grpc_case.client.ended);
    if (_i == LINGERS)
        ck_assert_int_eq(grpc_case_goaway(), 0);
    else if (_i != SILENT)
        ck_assert_int_eq(grpc_case_goaway(), CASE_PROTOCOL);
    grpc_case_work();
    grpc_case_wait(CONNECTION_LINGER_MS + 300);
    expect_nothing_left((enum state)_i, false);
}

/* A call that begins is served until the last GOAWAY has gone. */
LOOP_TEST(a_call_begins, STATES)
{
    bring_to((enum state)_i);
    if (_i == SILENT)
        frames_open(&grpc_case.frames);
    grpc_case_call(C);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_stage(C),
                     states[_i].serves ? CALL_RUNNING : CASE_NONE);
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(C), states[_i].serves ? API_GRPC_OK : -1);
    if (states[_i].has_job)
        ck_assert_int_eq(grpc_case_code(B), API_GRPC_OK);
    ck_assert_uint_eq(grpc_case_requests(), states[_i].requests +
                                                states[_i].has_job +
                                                states[_i].serves);
}

/* Near the limit of its port, of which the one connection has all. */
static uint64_t wait_in_full_port(uint64_t ms)
{
    struct world *world = grpc_case.world;
    size_t limit = world->profile.limit;
    size_t most = world->service.address_limit.max_connections;
    uint64_t before = grpc_case_rejected(METRICS_CROWD);

    world->profile.limit = world->service.address_limit.max_connections = 1;
    grpc_case_wait(ms);
    world->profile.limit = limit;
    world->service.address_limit.max_connections = most;
    return grpc_case_rejected(METRICS_CROWD) - before;
}

UNIT_TEST(a_full_port_ends_an_idle_connection)
{
    grpc_case_expect_service(A);
    ck_assert_uint_eq(wait_in_full_port(900), 0);
    ck_assert_int_eq(grpc_case_link(), SESSION_SERVES);
    ck_assert_uint_eq(wait_in_full_port(300), 1);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_goaway(), 0);
    ck_assert(grpc_case.client.ended);
}

/* A stream is idle from its last reply on. */
UNIT_TEST(a_full_port_ends_an_idle_stream)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    for (int i = 0; i < 2; i++) {
        grpc_case_message(A, CASE_SMALL, false);
        grpc_case_answer();
        ck_assert_int_eq(grpc_case_messages(A), i + 1);
        ck_assert_uint_eq(wait_in_full_port(900), 0);
    }
    ck_assert_uint_eq(wait_in_full_port(300), 1);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_UNAVAILABLE);
}

/* Its call is over: all of the reply is in the output, or with the kernel. */
LOOP_TEST(a_full_port_resets_a_client_that_does_not_read, 2)
{
    static const size_t unread[] = {2000, CASE_LARGE};

    if (!grpc_case_leave_unread(A, unread[_i]))
        return;
    grpc_case_wait(900);
    ck_assert_int_eq(grpc_case_session()->state.stage, CONNECTION_IDLE);
    ck_assert(LIST_EMPTY(&grpc_case_session()->streams));
    ck_assert_uint_eq(wait_in_full_port(500), 1);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert_int_eq(grpc_case_link(), CASE_NONE);
    ck_assert_uint_eq(machine_reset_count(), 1);
}

/* Replies that the kernel holds still count, and reach a client that sends
 * nothing more. */
UNIT_TEST(a_client_ends_its_half_and_reads_on)
{
    if (!grpc_case_leave_unread(A, 2000))
        return;
    grpc_case_wait(200);
    client_half_close(&grpc_case.client);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), CASE_LINGERS);
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    grpc_case_wait(200);
    ck_assert_int_eq(grpc_case_link(), CASE_NONE);
}

/* The request has come, and was not read yet. */
UNIT_TEST(a_full_port_spares_a_connection_with_a_request)
{
    struct frames *frames = &grpc_case.frames;

    grpc_case_call(A);
    grpc_case.client.to_send = frames->data;
    grpc_case.client.left = frames->len;
    client_send(&grpc_case.client, SIZE_MAX);
    frames->len = 0;
    ck_assert(!protocol_grpc.make_room(&grpc_case_session()->state));
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
}

/* Its first bytes, or the rest of its headers, have not come. */
LOOP_TEST(a_full_port_ends_a_connection_that_has_not_asked, 2)
{
    if (_i == 0)
        grpc_case_reconnect(false);
    else
        grpc_case_half_headers(A, 0);
    grpc_case_send();
    ck_assert_uint_eq(wait_in_full_port(1200), _i == 0);
    ck_assert_ptr_null(grpc_case_session());
    grpc_case_receive();
    ck_assert(grpc_case.client.ended);
    ck_assert_uint_eq(grpc_case_requests(), 0);
}

/* The call is over, but not its reply. */
UNIT_TEST(an_abort_cuts_a_reply_in_the_output)
{
    if (!grpc_case_leave_unread(A, CASE_LARGE))
        return;
    ck_assert(LIST_EMPTY(&grpc_case_session()->streams));
    world_set_phase(grpc_case.world, SERVICE_ABORTING);
    grpc_case_wait(200);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert(atomic_load(&grpc_case.world->service.has_cut));
    ck_assert_uint_eq(machine_reset_count(), 1);
}

FIXTURE(grpc_case_start, grpc_case_end)
