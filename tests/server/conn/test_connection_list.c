/* The connections of a loop: who is adopted, who makes room near the limit, how
 * old a connection may become. */
#include <sys/socket.h>
#include <unistd.h>

#include "kernels/core/size.h"
#include "server/conn/connection_list.h"
#include "server/conn/loop.h"
#include "tests/unit.h"

enum {
    LIMIT = 16,
    NEAR = 15,
    EIGHTH = LIMIT / 8,
    ACCEPTED_MS = 100,
    WAIT_MS = 1000,
    TRIM_MS = 1000,
    MANY = 256,
    MOST = MANY + 2,
    MS = 1000000,
    DROPPED = 16 << 20,
    PIECE = 2 << 10, /* bytes of a reply that the kernel frees at once */
};

/* What a list looks at of a daemon. */
static struct service service;
static struct options options = {.idle_timeout = 600,
                                 .header_timeout = 600,
                                 .max_inflight_bytes = 1 << 20,
                                 .http_thread_count = 5,
                                 .worker_count = 1};
static atomic_int phase;
static struct connection_list list;
static int far[MOST]; /* the clients' ends */
static int count;

static void ignore(void *context)
{
}

/* A protocol whose connections wait for their client, or are busy. */
struct client {
    struct connection_state state;
    bool is_open, is_busy;
    int fd;
    int trimmed;    /* how often */
    uint64_t moved; /* bytes */
};

static struct client taken[MOST];
static int adopted;

static bool start(struct loop_port *loop_port, uv_loop_t *unused)
{
    return true;
}

static void end(struct loop_port *loop_port)
{
}

static bool adopt(struct loop_port *loop_port, const struct arrival *arrival,
                  struct socket_layer layer)
{
    struct client *client = &taken[adopted++];

    *client = (struct client){.is_open = true, .fd = arrival->fd};
    connection_state_init(&client->state, loop_port, &arrival->peer);
    return true;
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

static void trim(struct connection_state *state)
{
    ((struct client *)state)->trimmed++;
}

static uint64_t moved(const struct connection_state *state)
{
    return ((const struct client *)state)->moved;
}

static const struct protocol protocol = {.start = start,
                                         .free = end,
                                         .adopt = adopt,
                                         .end_overdue = end_overdue,
                                         .make_room = make_room,
                                         .moved = moved,
                                         .cut = end_overdue,
                                         .trim = trim};

static struct listener_profile port = {.protocol = &protocol,
                                       .limit = LIMIT,
                                       .counted = true,
                                       .phase = &phase,
                                       .on_closed = ignore};

static uv_loop_t uv = {.time = 10000};
static struct loop_context loop = {
    .service = &service, .profile = &port, .uv = &uv};

static void set_up(void)
{
    struct status st;

    ck_assert(job_context_init(&service.jobs, &options, NULL, &st));
    ck_assert(address_limit_init(&service.address_limit, MOST, LIMIT, &st));
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
    connection_list_free(&list);
    address_limit_free(&service.address_limit);
    job_context_free(&service.jobs);
}

/* Clients of an address that send nothing, a millisecond after those before.
 * Returns the first of them in `far`. */
static int connect_silent(unsigned char address, int clients)
{
    int first = count;

    uv.time++;
    for (int i = 0; i < clients; i++) {
        struct arrival arrival = {
            .peer = {.address = {address}, .port = (uint16_t)(30000 + count)}};
        int pair[2];

        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        arrival.fd = pair[0];
        far[count++] = pair[1];
        ck_assert(address_limit_take(&service.address_limit, &arrival.peer, 1));
        atomic_fetch_add(&service.connections, 1);
        atomic_fetch_add(&loop.open, 1);
        connection_list_adopt(&list, &arrival);
    }
    return first;
}

/* The same, in a stage of their requests. */
static int connect_in(unsigned char address, int clients,
                      enum connection_stage stage)
{
    int first = connect_silent(address, clients);

    for (int i = adopted - clients; i < adopted; i++)
        connection_state_enter(&taken[i].state, stage);
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

UNIT_TEST(the_pressure_on_the_budget_grows_in_each_step)
{
    tick_after(1000);
    for (unsigned i = 1; i <= 3; i++) {
        atomic_store(&service.jobs.budget.refusals, 1);
        tick_after(500);
        ck_assert_uint_eq(atomic_load(&service.jobs.budget.pressure), i);
    }
}

UNIT_TEST(below_the_limit_nobody_makes_room)
{
    connect_silent(1, NEAR - 1);
    tick_after(10 * ACCEPTED_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
}

UNIT_TEST(the_oldest_of_the_address_with_most_makes_room)
{
    int few = connect_silent(1, 3), most = connect_silent(2, NEAR - 3);

    tick_after(ACCEPTED_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(!is_open(most));
    ck_assert(is_open(few));
    ck_assert_uint_eq(atomic_load(&loop.metrics.rejected[METRICS_CROWD]), 1);
}

/* Who has just come has time for a request. */
UNIT_TEST(an_eighth_is_made_free)
{
    int first = connect_silent(1, LIMIT);

    tick_after(ACCEPTED_MS - 1);
    ck_assert_int_eq(count_open(), LIMIT);
    tick_after(1);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
    for (int i = 0; i < EIGHTH; i++)
        ck_assert(!is_open(first + i));
    tick_after(ACCEPTED_MS);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
}

UNIT_TEST(among_equal_addresses_the_oldest_makes_room)
{
    for (unsigned char address = 1; address <= NEAR; address++)
        connect_silent(address, 1);
    tick_after(ACCEPTED_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(!is_open(0));
}

UNIT_TEST(an_address_with_few_keeps_them)
{
    int few = connect_silent(1, 3), many;

    uv.time += ACCEPTED_MS;
    many = connect_silent(2, NEAR - 3);
    tick_after(0);
    ck_assert_int_eq(count_open(), NEAR);
    tick_after(ACCEPTED_MS);
    ck_assert_int_eq(count_open(), NEAR - 1);
    ck_assert(is_open(few));
    ck_assert(!is_open(many));
}

UNIT_TEST(half_headers_are_closed_before_idle_connections)
{
    int idle = connect_in(1, 8, CONNECTION_IDLE);
    int half = connect_in(1, 8, CONNECTION_HEADERS);

    tick_after(WAIT_MS - 2);
    ck_assert_int_eq(count_open(), LIMIT);
    tick_after(2);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
    for (int i = 0; i < 8; i++)
        ck_assert(is_open(idle + i) && is_open(half + i) == (i >= EIGHTH));
}

UNIT_TEST(idle_connections_are_closed_before_idle_calls)
{
    int calls = connect_in(1, 15, CONNECTION_WORK);
    int idle = connect_in(1, 1, CONNECTION_IDLE);

    tick_after(WAIT_MS);
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
    ck_assert(!is_open(idle) && !is_open(calls));
}

UNIT_TEST(busy_connections_are_not_closed)
{
    int first = connect_in(1, LIMIT, CONNECTION_WORK);

    for (int i = 0; i < LIMIT - 1; i++)
        taken[i].is_busy = true;
    tick_after(WAIT_MS);
    ck_assert_int_eq(count_open(), LIMIT - 1);
    ck_assert(!is_open(first + LIMIT - 1));
}

/* Handshakes until their share is used up. */
static int shake_hands(void)
{
    int count_of_them = 0;

    while (count_of_them < MANY && connection_list_may_adopt(&list))
        count_of_them++;
    return count_of_them;
}

/* Of 100 ms a fifth of a half: 100 starts of 0.1 ms. */
UNIT_TEST(a_share_of_handshakes_may_start_at_once)
{
    port.tls = true;
    ck_assert_int_eq(shake_hands(), 100);
    uv.time += 1;
    ck_assert_int_eq(shake_hands(), 1);
    uv.time += 10000; /* it does not grow in silence */
    ck_assert_int_eq(shake_hands(), 100);
    atomic_store(&phase, SERVICE_STOPPING); /* waits for no share */
    ck_assert(connection_list_may_adopt(&list));
    atomic_store(&phase, SERVICE_RUNNING);
}

/* One that takes 35 ms is paid for: the next starts when 25 ms are back. */
UNIT_TEST(handshakes_pay_for_their_time)
{
    port.tls = true;
    loop.handshake_ns = 5 * MS;
    ck_assert_int_eq(shake_hands(), 50);
    ck_assert_int_eq(shake_hands(), 0); /* counted once */
    loop.handshake_ns += 25 * MS;
    uv.time += 250;
    ck_assert_int_eq(shake_hands(), 0);
    for (int i = 0; i < 2; i++) {
        uv.time += 100;
        ck_assert_int_eq(shake_hands(), i * 50);
    }
}

static void expect_trims(int first, int second, int third)
{
    ck_assert_int_eq(taken[0].trimmed, first);
    ck_assert_int_eq(taken[1].trimmed, second);
    ck_assert_int_eq(taken[2].trimmed, third);
}

static const enum connection_stage trimmed[] = {
    CONNECTION_IDLE, CONNECTION_HEADERS, CONNECTION_BODY};

LOOP_TEST(each_stage_is_trimmed_once, COUNT(trimmed))
{
    enum connection_stage stage = trimmed[_i];

    options.body_timeout = options.header_timeout = 100;
    for (int i = 0; i < 3; i++) { /* one each 100 ms */
        uv.time += 99;
        connect_in(1, 1, stage);
    }
    tick_after(TRIM_MS - 201);
    expect_trims(0, 0, 0);
    tick_after(1);
    expect_trims(1, 0, 0);
    connection_state_enter(&taken[0].state, stage);
    tick_after(100);
    expect_trims(1, 1, 0);
    end_overdue(&taken[1].state);
    tick_after(100);
    expect_trims(1, 1, 1);
    tick_after(TRIM_MS - 201);
    expect_trims(1, 1, 1);
    tick_after(1);
    expect_trims(2, 1, 1);
}

/* Neither by its body nor by the time of its job. */
UNIT_TEST(a_reply_is_measured_from_its_start)
{
    struct client *client = &taken[0];

    options.body_timeout = 10;
    connect_in(1, 1, CONNECTION_BODY);
    for (int i = 0; i < 5; i++) {
        client->moved += 100000;
        tick_after(1000);
    }
    connection_state_enter(&client->state, CONNECTION_WORK);
    tick_after(60000);
    connection_state_enter(&client->state, CONNECTION_SEND);
    for (int i = 0; i < 10; i++) {
        tick_after(1000);
        ck_assert(is_open(0));
    }
    tick_after(1000);
    ck_assert(!is_open(0));
}

/* Of two that became idle at other times each ends at its own. */
UNIT_TEST(the_oldest_ends_at_its_limit)
{
    connect_in(1, 1, CONNECTION_IDLE);
    uv.time += 499;
    connect_in(1, 1, CONNECTION_IDLE);
    tick_after(600000 - 501);
    ck_assert(is_open(0) && is_open(1));
    tick_after(1);
    ck_assert(!is_open(0) && is_open(1));
    tick_after(499);
    ck_assert(is_open(1));
    tick_after(1);
    ck_assert(!is_open(1));
}

UNIT_TEST(no_age_is_no_end)
{
    connect_in(1, 1, CONNECTION_IDLE);
    ck_assert_uint_eq(taken[0].state.age_end_ms, 0);
    uv.time += 1000000000;
    ck_assert(!connection_state_is_old(&taken[0].state));
}

UNIT_TEST(ends_scatter_around_the_age)
{
    uint64_t least = UINT64_MAX, most = 0, now_ms;

    port.limit = 2 * MOST;
    options.max_connection_age = 100;
    connect_silent(1, 200);
    now_ms = uv.time;
    for (int i = 0; i < adopted; i++) {
        uint64_t end_ms = taken[i].state.age_end_ms;

        least = end_ms < least ? end_ms : least;
        most = end_ms > most ? end_ms : most;
    }
    ck_assert_uint_ge(least, now_ms + 90000);
    ck_assert_uint_le(most, now_ms + 110000);
    ck_assert_uint_lt(least, now_ms + 92000); /* and all of that range */
    ck_assert_uint_gt(most, now_ms + 108000);
    uv.time = least;
    ck_assert(connection_state_is_old(&taken[0].state) ==
              (taken[0].state.age_end_ms == least));
}

/* The protocol has ended with the first connection. */
static void linger(bool drops, const char *reply, size_t len)
{
    struct client *client = &taken[0];
    struct transport transport;

    connect_in(1, 1, CONNECTION_IDLE);
    transport_open(&transport, client->fd, (struct socket_layer){.io = NULL},
                   &list.buffers);
    for (size_t at = 0, part; at < len; at += part) {
        part = size_min(len - at, PIECE);
        ck_assert_int_eq(
            send(client->fd, reply + at, part, MSG_NOSIGNAL | MSG_DONTWAIT),
            (ssize_t)part);
    }
    connection_state_linger(&client->state, &transport, drops);
    connection_state_release(&client->state); /* does nothing */
    client->is_open = false;
}

static bool lingers(void)
{
    return atomic_load(&service.connections) > 0;
}

UNIT_TEST(a_lingering_client_reads_its_reply)
{
    char got[16];

    linger(true, "reply", 5);
    ck_assert_int_eq(write(far[0], "surplus", 7), 7);
    connection_list_drop_input(&list);
    ck_assert_int_eq(recv(far[0], got, sizeof(got), MSG_WAITALL), 5);
    ck_assert_mem_eq(got, "reply", 5);
    tick_after(100);
    ck_assert(lingers()); /* the client has not ended */
    shutdown(far[0], SHUT_WR);
    connection_list_drop_input(&list);
    ck_assert(!lingers());
}

UNIT_TEST(lingering_ends_after_its_time)
{
    linger(true, "", 0);
    ck_assert_int_eq(write(far[0], "more", 4), 4);
    tick_after(CONNECTION_LINGER_MS - 1);
    ck_assert(lingers());
    tick_after(1);
    ck_assert(!lingers());
}

UNIT_TEST(lingering_ends_after_its_bytes)
{
    static const char surplus[64 << 10];
    ssize_t part;
    size_t sent = 0;

    linger(true, "", 0);
    while (sent < 2 * DROPPED && lingers()) {
        part =
            send(far[0], surplus, sizeof(surplus), MSG_NOSIGNAL | MSG_DONTWAIT);
        sent += part > 0 ? (size_t)part : 0;
        connection_list_drop_input(&list);
    }
    ck_assert(!lingers());
    ck_assert_uint_gt(sent, DROPPED);
    ck_assert_uint_lt(sent, DROPPED + (1 << 20));
}

/* What the kernel holds is sent at the minimum rate. */
LOOP_TEST(a_lingering_client_takes_its_reply, 2)
{
    static char reply[32 << 10], got[sizeof(reply)];

    options.body_timeout = 10;
    linger(false, reply, sizeof(reply));
    for (int i = 0; i < 9; i++) {
        tick_after(1000);
        ck_assert(lingers());
    }
    if (_i == 0) /* it takes all */
        ck_assert_int_eq(recv(far[0], got, sizeof(got), MSG_WAITALL),
                         sizeof(got));
    tick_after(1000);
    ck_assert(lingers() == (_i > 0));
    tick_after(2000);
    ck_assert(!lingers());
    ck_assert_uint_eq(
        counter_value(&loop.metrics.rejected[METRICS_SEND_TIMEOUT]),
        (unsigned)_i);
}

UNIT_TEST(a_lingering_client_may_take_its_time)
{
    static char reply[32 << 10], got[PIECE];

    options.body_timeout = 10;
    linger(false, reply, sizeof(reply));
    for (int i = 0; i < 13; i++) {
        ck_assert_int_eq(recv(far[0], got, sizeof(got), MSG_WAITALL),
                         sizeof(got));
        tick_after(1000);
        ck_assert(lingers());
    }
}

UNIT_TEST(a_lingering_client_makes_room)
{
    linger(true, "", 0);
    connect_in(1, LIMIT - 1, CONNECTION_IDLE);
    tick_after(WAIT_MS);
    ck_assert(!is_open(0));
    ck_assert_int_eq(count_open(), LIMIT - EIGHTH);
}

/* It is reported where the client would miss a reply. */
LOOP_TEST(an_abort_ends_a_lingering_client, 2)
{
    static const char reply[32 << 10];
    struct log quiet;

    log_init(&quiet, -1, LOG_ERROR, false);
    service.jobs.log = &quiet;
    linger(_i == 0, reply, _i == 0 ? 0 : sizeof(reply));
    atomic_store(&phase, SERVICE_ABORTING);
    tick_after(0);
    atomic_store(&phase, SERVICE_RUNNING);
    ck_assert(!lingers());
    ck_assert_int_eq(atomic_load(&service.has_cut), _i > 0);
    atomic_store(&service.has_cut, false);
}

/* Who has been accepted, and not yet adopted. */
static struct arrivals ring;

static void push(int fd)
{
    arrivals_push(&ring, &(struct arrival){.fd = fd});
}

static int pop(void)
{
    struct arrival arrival;

    return arrivals_pop(&ring, &arrival) ? arrival.fd : -1;
}

UNIT_TEST(arrivals_come_out_in_the_order_of_their_coming)
{
    ck_assert(arrivals_init(&ring, 3));
    ck_assert_int_eq(pop(), -1);
    for (int fd = 0; fd < 3; fd++)
        push(fd);
    for (int fd = 3; fd < 10; fd++) { /* past the end of the ring */
        ck_assert_int_eq(pop(), fd - 3);
        push(fd);
    }
    for (int fd = 7; fd < 10; fd++)
        ck_assert_int_eq(pop(), fd);
    ck_assert_int_eq(pop(), -1);
    arrivals_free(&ring);
}

FIXTURE(set_up, tear_down)
