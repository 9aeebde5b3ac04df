/* What may end a call, at each of its states: its client, which resets it,
 * closes the connection or says GOAWAY; its deadline; the end of the service.
 */
#include "tests/server/grpc/call_state.h"
#include "tests/unit.h"

enum { A = 1, B = 3 }; /* streams */

/* Wherever a client cancels its call, the call is counted once, a worker's job
 * is given back, and others are served on. */
LOOP_TEST(a_client_resets_its_call, CALL_STATES)
{
    bool has_job;

    call_state_bring((enum call_state)_i, A, 0);
    if (_i == OPENED) { /* no frame may stand between those of a block */
        grpc_case_reset(A);
        grpc_case_ask();
        ck_assert(grpc_case.client.ended);
        ck_assert_int_eq(grpc_case_goaway(), CASE_PROTOCOL);
        ck_assert_uint_eq(grpc_case_requests(), 0);
        return;
    }
    has_job = call_states[_i].stage == CALL_RUNNING;
    grpc_case_reset(A);
    grpc_case_send();
    call_state_expect(A, CASE_NONE);
    ck_assert(LIST_EMPTY(&grpc_case_session()->streams));
    grpc_case_answer();
    ck_assert_uint_eq(grpc_case_session()->living, 0);
    ck_assert_uint_eq(grpc_case_requests(), call_states[_i].requests);
    if (_i != STREAM_IDLE && _i != WORKED)
        ck_assert_uint_eq(grpc_case_counted(METRICS_CLIENT_GONE),
                          call_states[_i].requests);
    ck_assert(!has_job || _i == WORKED || grpc_case_messages(A) == 0);
    grpc_case_expect_service(B);
}

/* The same where the whole connection goes. Its struct stays while a worker has
 * a job of it. */
LOOP_TEST(a_client_closes_its_connection, CALL_STATES)
{
    call_state_bring((enum call_state)_i, A, 0);
    client_close(&grpc_case.client);
    grpc_case_send();
    grpc_case_work();
    grpc_case_wait(200);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert_uint_eq(grpc_case_requests(), call_states[_i].requests);
}

/* A deadline ends a call that waits for its client or a worker; it does not cut
 * a reply that is on its way. A stream's message that came in time has a reply
 * before the status. */
LOOP_TEST(a_deadline_passes, CALL_STATES)
{
    call_state_bring((enum call_state)_i, A, FRAMES_TIMEOUT);
    if (_i == WORKED) /* the loop hears of it first */
        grpc_case_send();
    grpc_case_wait(300);
    if (_i == OPENED) {
        call_state_expect(A, CALL_OPEN);
        call_state_finish(OPENED, A);
        ck_assert_int_eq(grpc_case_code(A), API_GRPC_DEADLINE_EXCEEDED);
    } else if (_i == STREAM_QUEUED || _i == STREAM_BACKLOG) {
        grpc_case_receive();
        ck_assert_int_ge(grpc_case_messages(A), 1);
        grpc_case_wait(300);
        grpc_case_receive();
        ck_assert_int_eq(grpc_case_code(A), API_GRPC_DEADLINE_EXCEEDED);
    } else {
        grpc_case_receive();
        if (_i == REPLYING || _i == STREAM_REPLYING)
            call_state_widen(A);
        grpc_case_wait(200);
        grpc_case_receive();
        ck_assert_int_eq(grpc_case_code(A), call_states[_i].late);
    }
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_session()->living, 0);
    if (_i == REPLYING || _i == STREAM_REPLYING || _i == STREAM_IDLE)
        ck_assert_int_eq(grpc_case_messages(A), 1);
    grpc_case_expect_service(B);
}

/* Replies that a call which is finished has had. */
static int replies(enum call_state state)
{
    return state == STREAM_BACKLOG ? 4 : state == WATCHES ? 2 : 1;
}

/* Expects that the call has gone on as if nothing had happened. A WATCH has no
 * end of its own. */
static void expect_answered(enum call_state state, bool ready)
{
    ck_assert_int_eq(grpc_case_messages(A),
                     replies(state) - (ready && state == WATCHES));
    if (state == WATCHES) {
        call_state_expect(A, CALL_WATCHING);
        return;
    }
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    call_state_expect(A, CASE_NONE);
    ck_assert_uint_eq(grpc_case_counted(200), (uint64_t)replies(state));
    ck_assert_uint_eq(grpc_case_requests(), (uint64_t)replies(state));
}

/* A client that says GOAWAY has the replies to all that it has begun. */
LOOP_TEST(a_client_says_goaway, CALL_STATES)
{
    call_state_bring((enum call_state)_i, A, 0);
    if (_i == OPENED) {
        call_state_finish(OPENED, A);
        expect_answered(OPENED, true);
        return;
    }
    grpc_case_frame(FRAMES_GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0", 8);
    grpc_case_send();
    call_state_expect(A, _i == WORKED ? CASE_NONE : call_states[_i].stage);
    call_state_finish((enum call_state)_i, A);
    expect_answered((enum call_state)_i, true);
    ck_assert_int_eq(grpc_case_link(),
                     _i == WATCHES ? SESSION_SERVES : CASE_LINGERS);
}

/* A service that drains serves what was begun, and then ends the connection. */
LOOP_TEST(a_service_drains, CALL_STATES)
{
    call_state_bring((enum call_state)_i, A, 0);
    world_set_phase(grpc_case.world, SERVICE_DRAINING);
    grpc_case_wait(500 + SESSION_UNHEARD_MS + 300);
    call_state_finish((enum call_state)_i, A);
    expect_answered((enum call_state)_i, false);
    ck_assert_int_eq(grpc_case_count(FRAMES_GOAWAY), 2);
    ck_assert_int_eq(grpc_case_goaway(), 0);
    ck_assert(grpc_case.client.ended == (_i != WATCHES));
}

/* A service that aborts cuts what it has not answered, and says so. */
LOOP_TEST(a_service_aborts, CALL_STATES)
{
    call_state_bring((enum call_state)_i, A, 0);
    world_set_phase(grpc_case.world, SERVICE_ABORTING);
    grpc_case_wait(200);
    grpc_case_receive();
    ck_assert(grpc_case.client.ended);
    /* libuv before 1.45 runs its timers before it hears of the worker. */
    if (_i != WORKED)
        ck_assert(atomic_load(&grpc_case.world->service.has_cut) ==
                  (_i != STREAM_IDLE && _i != WATCHES));
    grpc_case_work();
    grpc_case_wait(200);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert_uint_eq(grpc_case_requests(), call_states[_i].requests);
}

/* Nor does it cut a WATCH whose message has not come. */
UNIT_TEST(a_watch_without_its_message_is_idle)
{
    grpc_case_headers(A, CASE_WATCH, 0);
    grpc_case_send();
    call_state_expect(A, CALL_RECEIVING);
    world_set_phase(grpc_case.world, SERVICE_ABORTING);
    grpc_case_wait(200);
    ck_assert_ptr_null(grpc_case_session());
    ck_assert(!atomic_load(&grpc_case.world->service.has_cut));
}

/* A status that cannot be sent yet, behind a reply that nobody reads, is sent
 * when it can; or its call is reset. */
LOOP_TEST(a_status_waits_behind_a_reply, 2)
{
    bool is_reset = _i == 1;

    if (!grpc_case_leave_unread(A, CASE_LARGE))
        return;
    ck_assert_uint_gt(grpc_case_session()->output.bytes, 0);
    grpc_case_headers(B, "/nothing", 0);
    grpc_case_send();
    call_state_expect(B, CALL_ENDING);
    if (is_reset)
        grpc_case_reset(B);
    grpc_case_send();
    call_state_expect(B, is_reset ? CASE_NONE : CALL_ENDING);
    grpc_case_receive();
    call_state_expect(B, CASE_NONE);
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_code(B), is_reset ? -1 : API_GRPC_UNIMPLEMENTED);
    ck_assert_uint_eq(grpc_case_counted(is_reset ? METRICS_CLIENT_GONE : 404),
                      1);
    ck_assert_uint_eq(grpc_case_requests(), 2);
}

FIXTURE(grpc_case_start, grpc_case_end)
