/* Which connections of HTTP/1 end by a limit, what their clients are told, and
 * what is counted. */
#include <string.h>

#include "tests/fuzz/machine.h"
#include "tests/server/http/http_case.h"
#include "tests/unit.h"

enum {
    WAIT_MS = 1100,   /* the oldest of a full port may be closed after */
    PIPELINED = 4000, /* requests whose replies fill any socket */
    READ_A_SECOND = 8 << 10,
    BLANKS = 200000, /* bytes of a document */
};

/* Fills the port with clients, of which each was served and has read the reply.
 */
static void fill(void)
{
    for (int i = 0; i < CASE_CLIENTS; i++) {
        http_case_ask(i, CASE_METADATA);
        ck_assert_ptr_nonnull(strstr(http_case_receive(i), " 200 OK"));
    }
    ck_assert_int_eq(http_case_in_stage(CONNECTION_IDLE), CASE_CLIENTS);
}

/* A moment later, of which the loop hears at its tick, before it reads. */
static void tick(void)
{
    machine_advance_ms(CASE_TICK_MS);
    world_turn(http_case.world);
}

UNIT_TEST(the_oldest_idle_connection_makes_room)
{
    http_case_start(WORLD_ADMIN);
    http_case.world->profile.serves = NULL;
    fill();
    http_case_wait(WAIT_MS);
    for (int i = 0; i < CASE_CLIENTS; i++)
        ck_assert_int_eq(http_case_has_ended(i), i == 0);
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 1);
}

UNIT_TEST(a_connection_with_an_unread_request_does_not)
{
    http_case_start(WORLD_ADMIN);
    http_case.world->profile.serves = NULL;
    fill();
    machine_advance_ms(WAIT_MS);
    http_case_send(0, CASE_METADATA);
    world_turn(http_case.world);
    http_case_turn();
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 200 OK"));
    ck_assert_int_eq(http_case_has_ended(0), 0);
    ck_assert_int_eq(http_case_has_ended(1), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 1);
}

/* A lingering socket would count. */
UNIT_TEST(one_that_has_not_read_its_replies_makes_room_at_once)
{
    http_case_start(WORLD_ADMIN);
    http_case.world->profile.serves = NULL;
    http_case_connect(0);
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
    http_case_start(WORLD_ADMIN);
    http_case.world->profile.serves = NULL;
    fill();
    http_case_send(CASE_CLIENTS - 1, CASE_HALF);
    http_case_turn();
    ck_assert_int_eq(http_case_in_stage(CONNECTION_HEADERS), 1);
    http_case_wait(WAIT_MS);
    ck_assert_ptr_nonnull(strstr(http_case_receive(CASE_CLIENTS - 1), " 408 "));
    ck_assert_int_eq(http_case_has_ended(0), 0);
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_HEADER_TIMEOUT), 0);
}

UNIT_TEST(who_waits_for_a_worker_makes_no_room)
{
    http_case_start(WORLD_ADMIN);
    http_case.world->profile.serves = NULL;
    http_case.world->options.inline_limit = 0;
    http_case.world->service.workers.queue.settings =
        (struct queue_settings){.max_waiting = CASE_CLIENTS, .workers = 1};
    for (int i = 0; i < CASE_CLIENTS; i++)
        http_case_ask(i, CASE_INFER);
    http_case_wait(2 * WAIT_MS);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_WORK), CASE_CLIENTS);
    while (world_work(http_case.world))
        continue;
    http_case_turn();
    for (int i = 0; i < CASE_CLIENTS; i++)
        ck_assert_ptr_nonnull(strstr(http_case_receive(i), " 200 OK"));
    ck_assert_uint_eq(http_case_rejected(METRICS_CROWD), 0);
}

/* Makes the only worker's queue full: a request of client 0 waits. */
static void fill_queue(void)
{
    http_case_ask(0, CASE_INFER);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_WORK), 1);
}

/* Client 1 asks until the replies that it does not read fill its socket. */
static void ask_in_vain(const char *text)
{
    http_case_connect_narrow(1);
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
    fill_queue();
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
    http_case_start(WORLD_OPEN);
    http_case.world->options.body_timeout = 2;
    http_case.world->options.inline_limit = 0;
    http_case_connect_narrow(0);
    http_case_send_all(0, http_case_infer(CASE_LARGE));
    while (world_work(http_case.world))
        continue;
    http_case_turn();
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

UNIT_TEST(headers_that_do_not_come_are_refused)
{
    uint64_t requests;

    http_case_start(WORLD_NARROW);
    requests = world_request_count(http_case.world);
    http_case_ask(0, CASE_HALF);
    http_case_wait(900);
    ck_assert_int_eq(http_case_has_ended(0), 0);
    http_case_wait(300);
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 408 "));
    ck_assert_int_eq(http_case_has_ended(0), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_HEADER_TIMEOUT), 1);
    ck_assert_uint_eq(world_request_count(http_case.world) - requests, 1);
}

/* Nor the line of the request: no more is known of it. */
UNIT_TEST(half_a_line_is_refused_and_counted)
{
    http_case_start(WORLD_NARROW);
    http_case_ask(0, "GET /v2");
    http_case_wait(1200);
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 408 "));
    ck_assert_int_eq(http_case_has_ended(0), 1);
    ck_assert_uint_eq(http_case_count(408), 1);
}

UNIT_TEST(single_bytes_do_not_move_the_end_of_the_headers)
{
    http_case_start(WORLD_NARROW);
    http_case_ask(0, CASE_HALF);
    for (int i = 0; i < 4; i++) {
        http_case_wait(200);
        http_case_send(0, "f");
        http_case_turn();
    }
    http_case_wait(300);
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 408 "));
    ck_assert_uint_eq(http_case_rejected(METRICS_HEADER_TIMEOUT), 1);
}

UNIT_TEST(a_body_that_does_not_come_is_refused)
{
    http_case_start(WORLD_NARROW);
    http_case_ask(0, CASE_POST "Content-Length: 20\r\n\r\n{");
    http_case_wait(2500);
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 408 "));
    ck_assert_int_eq(http_case_has_ended(0), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_BODY_TIMEOUT), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_HEADER_TIMEOUT), 0);
}

static int closed;

static void count_closed(void *context)
{
    (void)context;
    closed++;
}

UNIT_TEST(the_listener_hears_of_each_end)
{
    http_case_start(WORLD_OPEN);
    http_case.world->profile.on_closed = count_closed;
    http_case_ask(0, CASE_METADATA);
    http_case_connect(1);
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

    http_case_start(WORLD_OPEN);
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
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 408 "));
    ck_assert_int_eq(http_case_has_ended(1), 0);
    ck_assert_int_eq(http_case_in_stage(CONNECTION_BODY), 1);
    ck_assert_uint_eq(http_case_rejected(METRICS_BODY_TIMEOUT), 1);
}

/* Neither is a fault of the client. */
UNIT_TEST(who_sends_nothing_is_hung_up_on_without_a_word)
{
    http_case_start(WORLD_NARROW);
    http_case_connect(0);
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

    http_case_start(WORLD_OPEN);
    leased = &http_case.world->service.jobs.budget.leased;
    http_case_connect(0);
    http_case_send_all(0, http_case_infer(CASE_LARGE));
    while (world_work(http_case.world))
        continue;
    http_case_turn();
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
    http_case_start(WORLD_OPEN);
    http_case_connect(0);
    http_case_send(0, halves[_i]);
    client_half_close(&http_case.clients[0]);
    http_case_turn();
    tick();
    http_case_turn();
    ck_assert_int_eq(http_case_has_ended(0), 1);
    ck_assert_uint_eq(http_case_open(), 0);
}

FIXTURE(http_case_set_up, http_case_tear_down)
