/* Who makes room near the limit of connections. */
#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/conn/connection_list.h"
#include "tests/suite.h"

enum {
    LIMIT = 16,
    NEAR = 15,
    EIGHTH = LIMIT / 8,
    SILENT_MS = 100,
    WAIT_MS = 1000
};

/* What a list looks at of a daemon. */
static struct service service;
static struct options options;
static atomic_int phase;
static uv_loop_t uv;
static struct loop_context loop;
static struct connection_list list;
static int far[LIMIT]; /* the clients' ends */
static int count;

static void ignore(void *context)
{
    (void)context;
}

/* A protocol whose connections wait for their client, or are busy. */
struct client {
    struct connection_state state;
    bool is_open, is_busy;
    int fd;
};

static struct client taken[LIMIT];
static int adopted;

static bool start(struct loop_port *loop_port, uv_loop_t *unused)
{
    loop_port->state = NULL;
    (void)unused;
    adopted = 0;
    return true;
}

static void end(struct loop_port *loop_port)
{
    (void)loop_port;
}

static void adopt(struct loop_port *loop_port, const struct arrival *arrival)
{
    struct client *client = &taken[adopted++];

    *client = (struct client){.is_open = true, .fd = arrival->fd};
    connection_state_init(&client->state, loop_port, &arrival->peer,
                          CONNECTION_IDLE);
}

static void end_overdue(struct connection_state *state)
{
    struct client *client = (struct client *)state;

    connection_state_release(state);
    close(client->fd);
    client->is_open = false;
}

static bool make_room(struct connection_state *state)
{
    if (((struct client *)state)->is_busy)
        return false;
    metrics_count_rejection(&state->loop->metrics, METRICS_CROWD);
    end_overdue(state);
    return true;
}

static const struct protocol protocol = {.start = start,
                                         .free = end,
                                         .adopt = adopt,
                                         .end_overdue = end_overdue,
                                         .make_room = make_room};

static const struct listener_profile port = {.protocol = &protocol,
                                             .limit = LIMIT,
                                             .counted = true,
                                             .phase = &phase,
                                             .on_closed = ignore};

static void set_up(void)
{
    struct status st;

    count = 0;
    options = (struct options){.idle_timeout = 600,
                               .header_timeout = 600,
                               .max_inflight_bytes = 1 << 20};
    ck_assert(job_context_init(&service.jobs, &options, NULL, &st));
    ck_assert(address_limit_init(&service.address_limit, LIMIT, LIMIT, &st));
    uv.time = 10000;
    loop =
        (struct loop_context){.service = &service, .profile = &port, .uv = &uv};
    ck_assert(connection_list_init(&list, &loop, &uv));
}

static void tick_after(uint64_t ms)
{
    uv.time += ms;
    connection_list_check(&list);
}

static void tear_down(void)
{
    for (int i = 0; i < adopted; i++)
        if (taken[i].is_open)
            connection_state_enter(&taken[i].state, CONNECTION_IDLE);
    tick_after(600000); /* all have been idle for too long */
    ck_assert_uint_eq(atomic_load(&service.connections), 0);
    for (int i = 0; i < count; i++)
        close(far[i]);
    connection_list_free(&list);
    address_limit_free(&service.address_limit);
    job_context_free(&service.jobs);
}

/* Silent clients of an address, a millisecond after those before. Returns the
 * first of them in `far`. */
static int connect_silent(unsigned char address, int clients)
{
    int first = count;

    uv.time++;
    for (int i = 0; i < clients; i++) {
        struct arrival arrival = {.peer = {.address = {address}}};
        int pair[2];

        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        arrival.fd = pair[0];
        far[count++] = pair[1];
        ck_assert(address_limit_add(&service.address_limit, &arrival.peer));
        atomic_fetch_add(&service.connections, 1);
        atomic_fetch_add(&loop.open, 1);
        connection_list_arrive(&list, &arrival);
    }
    return first;
}

/* Clients that have sent a byte, so that they are connections of the protocol.
 */
static int connect_in(unsigned char address, int count_of_them,
                      enum connection_stage stage)
{
    int first = connect_silent(address, count_of_them), from = adopted;

    for (int i = first; i < first + count_of_them; i++)
        ck_assert_int_eq(write(far[i], "", 1), 1);
    ck_assert(connection_list_adopt_ready(&list));
    ck_assert_int_eq(adopted, from + count_of_them);
    for (int i = from; i < adopted; i++) {
        char byte;

        ck_assert_int_eq(read(taken[i].fd, &byte, 1), 1);
        connection_state_enter(&taken[i].state, stage);
    }
    return first;
}

static bool is_open(int client)
{
    char byte;

    return recv(far[client], &byte, 1, MSG_DONTWAIT) < 0;
}

static int count_open(void)
{
    int open = 0;

    for (int i = 0; i < count; i++)
        open += is_open(i);
    return open;
}

START_TEST(below_the_limit_nobody_makes_room)
{
    connect_silent(1, NEAR - 1);
    tick_after(10 * SILENT_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
}
END_TEST

START_TEST(the_oldest_of_the_address_with_most_makes_room)
{
    int few = connect_silent(1, 3), most = connect_silent(2, NEAR - 3);

    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(!is_open(most));
    ck_assert(is_open(few));
    ck_assert_uint_eq(atomic_load(&loop.metrics.rejected[METRICS_CROWD]), 1);
}
END_TEST

START_TEST(an_eighth_is_made_free)
{
    int first = connect_silent(1, LIMIT);

    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
    for (int i = 0; i < EIGHTH; i++)
        ck_assert(!is_open(first + i));
    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
}
END_TEST

START_TEST(among_equal_addresses_the_oldest_makes_room)
{
    for (unsigned char address = 1; address <= NEAR; address++)
        connect_silent(address, 1);
    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(!is_open(0));
}
END_TEST

START_TEST(who_has_just_come_has_time_for_a_request)
{
    connect_silent(1, LIMIT);
    tick_after(SILENT_MS - 1);
    ck_assert_int_eq(count_open(), LIMIT);
    tick_after(1);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
}
END_TEST

START_TEST(an_address_with_few_keeps_them)
{
    int few = connect_silent(1, 3), many;

    uv.time += SILENT_MS;
    many = connect_silent(2, NEAR - 3);
    tick_after(0);
    ck_assert_int_eq(count_open(), NEAR);
    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(is_open(few));
    ck_assert(!is_open(many));
}
END_TEST

START_TEST(half_headers_are_closed_before_idle_connections)
{
    int idle = connect_in(1, 8, CONNECTION_IDLE);
    int half = connect_in(1, 8, CONNECTION_HEADERS);

    tick_after(WAIT_MS - 1);
    ck_assert_int_eq(count_open(), LIMIT);
    tick_after(1);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
    for (int i = 0; i < 8; i++)
        ck_assert(is_open(idle + i) && is_open(half + i) == (i >= EIGHTH));
}
END_TEST

START_TEST(idle_connections_are_closed_before_idle_calls)
{
    int calls = connect_in(1, 15, CONNECTION_WORK);
    int idle = connect_in(1, 1, CONNECTION_IDLE);

    tick_after(WAIT_MS);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
    ck_assert(!is_open(idle) && !is_open(calls));
}
END_TEST

START_TEST(busy_connections_are_not_closed)
{
    int first = connect_in(1, LIMIT, CONNECTION_WORK);

    for (int i = 0; i < LIMIT - 1; i++)
        taken[i].is_busy = true;
    tick_after(WAIT_MS);
    ck_assert_int_eq(count_open(), LIMIT - 1);
    ck_assert(!is_open(first + LIMIT - 1));
}
END_TEST

START_TEST(younger_ones_that_make_room_soon_spare_the_idle)
{
    int idle = connect_in(1, LIMIT - 2, CONNECTION_IDLE), silent;

    uv.time += WAIT_MS;
    silent = connect_silent(1, 2);
    tick_after(0);
    ck_assert_int_eq(count_open(), LIMIT);
    tick_after(SILENT_MS);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
    ck_assert(is_open(idle) && !is_open(silent));
}
END_TEST

SUITE_WITH("crowd", set_up, tear_down, TEST(below_the_limit_nobody_makes_room),
           TEST(the_oldest_of_the_address_with_most_makes_room),
           TEST(an_eighth_is_made_free),
           TEST(among_equal_addresses_the_oldest_makes_room),
           TEST(who_has_just_come_has_time_for_a_request),
           TEST(an_address_with_few_keeps_them),
           TEST(half_headers_are_closed_before_idle_connections),
           TEST(idle_connections_are_closed_before_idle_calls),
           TEST(busy_connections_are_not_closed),
           TEST(younger_ones_that_make_room_soon_spare_the_idle))
