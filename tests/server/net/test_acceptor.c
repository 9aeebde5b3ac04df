#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/heap_in_use.h"
#include "tests/server/descriptors.h"
#include "tests/server/log_text.h"
#include "tests/server/net/acceptor_case.h"
#include "tests/unit.h"

enum { WAIT_MS = 5000, ROUNDS = 1000, DELAYS = 200, CLIENTS = 100 };

static char path[64];

/* At its limit of one connection. */
static void set_up(void)
{
    const struct listener_profile profile = {.port = LOOP_GRPC,
                                             .limit = 1,
                                             .waiting = 1,
                                             .counted = true,
                                             .phase = &service.phase};

    snprintf(path, sizeof(path), "unix:/tmp/test-acceptor-%d", (int)getpid());
    open_at(path, &profile);
}

static int try_to_connect(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    return connect(fd, (struct sockaddr *)&acceptor.address.storage,
                   acceptor.address.len) == 0
               ? fd
               : -1;
}

/* The client goes with the test's process. */
static int connect_client(void)
{
    int fd = try_to_connect();

    ck_assert_int_ge(fd, 0);
    return fd;
}

static void on_timeout(uv_timer_t *timer)
{
    ck_abort_msg("the acceptor sleeps below its limit");
}

/* Runs the acceptor until it has handed over one socket, and closes that. */
static void await_arrival(struct loop *loop)
{
    struct arrival arrival;
    uv_timer_t timer;

    uv_timer_init(&uv, &timer);
    uv_timer_start(&timer, on_timeout, WAIT_MS, 0);
    while (!arrivals_pop(&loop->arrivals, &arrival))
        uv_run(&uv, UV_RUN_ONCE);
    ck_assert_int_eq(arrival.port, LOOP_GRPC);
    close(arrival.fd);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&uv, UV_RUN_NOWAIT);
}

static uint64_t waits(void)
{
    return counter_value(&acceptor.metrics.rejected[METRICS_CONNECTIONS]);
}

/* The kernel's queue holds those that wait. */
UNIT_TEST(acceptor_waits_at_the_limit)
{
    struct arrival arrival;

    connect_client();
    await_arrival(loops);
    ck_assert_uint_eq(waits(), 0);
    ck_assert(uv_is_active((uv_handle_t *)&acceptor.poll));
    connect_client();
    uv_run(&uv, UV_RUN_NOWAIT);
    ck_assert(!arrivals_pop(&loops->arrivals, &arrival));
    ck_assert(atomic_load(&acceptor.is_waiting));
    ck_assert(!uv_is_active((uv_handle_t *)&acceptor.poll));
    ck_assert_uint_eq(waits(), 1);
    close_connection();
    await_arrival(loops);
    ck_assert_uint_eq(atomic_load(&service.connections), 1);
    ck_assert(!atomic_load(&acceptor.is_waiting));
    ck_assert(atomic_load(&acceptor.is_open));
}

/* The two count together. */
UNIT_TEST(acceptor_notices_a_close_of_the_other_port)
{
    struct acceptor other = {.loop_count = 0};

    connect_client();
    acceptor_pair(&acceptor, &other);
    ck_assert_ptr_eq(acceptor.other, &other);
    await_arrival(loops);
    connect_client();
    uv_run(&uv, UV_RUN_NOWAIT);
    ck_assert(atomic_load(&acceptor.is_waiting));
    atomic_fetch_sub(&service.connections, 1);
    acceptor.profile.on_closed(&other);
    await_arrival(loops);
}

static atomic_int to_close;

static void close_connections(void *context)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&to_close) == 0)
            continue;
        atomic_fetch_sub(&to_close, 1);
        for (volatile int pause = i % DELAYS; pause > 0; pause--)
            continue;
        close_connection();
    }
}

/* Connections are closed at the time when the acceptor finds that it is full.
 * There is no timer that would cover a close that it missed. */
UNIT_TEST(acceptor_notices_each_close)
{
    uv_thread_t thread;
    int client = connect_client(), next;

    await_arrival(loops);
    uv_thread_create(&thread, close_connections, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        next = connect_client();
        close(client);
        client = next;
        atomic_fetch_add(&to_close, 1);
        await_arrival(loops);
    }
    uv_thread_join(&thread);
}

static int count_arrivals(void)
{
    struct arrival arrival;
    int count = 0;

    for (; arrivals_pop(&loops->arrivals, &arrival); count++)
        close(arrival.fd);
    return count;
}

/* More clients than are accepted at a time; the loop has not seen them. A port
 * without room for all stays open until there is. */
LOOP_TEST(acceptor_takes_all_who_wait_before_it_closes, 3)
{
    int taken = _i ? CLIENTS - 1 : CLIENTS;

    acceptor.profile.limit = (size_t)(_i ? taken : CLIENTS + 1);
    for (int i = 0; i < CLIENTS; i++)
        connect_client();
    acceptor_finish(&acceptor);
    ck_assert_int_eq(count_arrivals(), taken);
    ck_assert_uint_eq(atomic_load(&service.connections), (size_t)taken);
    ck_assert(atomic_load(&acceptor.is_open) == (taken < CLIENTS));
    if (_i == 1) {
        close_connection();
        uv_run(&uv, UV_RUN_NOWAIT);
        ck_assert_int_eq(count_arrivals(), 1);
        /* The port is full again, and does not know that nobody waits. */
        close_connection();
        uv_run(&uv, UV_RUN_NOWAIT);
        ck_assert(!atomic_load(&acceptor.is_open));
    }
    acceptor_abort(&acceptor);
    ck_assert_int_eq(atomic_load(&service.has_cut), _i == 2);
}

/* The socket stays open in the service manager; the acceptor takes nobody any
 * more, and those that connect wait for the next daemon. */
LOOP_TEST(acceptor_leaves_who_waits_at_a_borrowed_socket, 2)
{
    int manager = dup(acceptor.fd), left;
    struct arrival arrival;

    connect_client();
    acceptor.address.is_borrowed = true;
    await_arrival(loops);
    close_connection();
    left = connect_client();
    if (_i == 0)
        acceptor_refuse(&acceptor);
    else
        acceptor_abort(&acceptor);
    ck_assert_int_eq(acceptor.fd, -1);
    ck_assert(!atomic_load(&acceptor.is_open));
    acceptor_finish(&acceptor);
    uv_run(&uv, UV_RUN_NOWAIT);
    ck_assert(!arrivals_pop(&loops->arrivals, &arrival));
    close(left);
    connect_client();
    for (int i = 0; i < 2; i++)
        ck_assert_int_ge(accept4(manager, NULL, NULL, SOCK_CLOEXEC), 0);
    unlink(path + 5);
}

/* Runs the acceptor until it accepts no more. */
static void await_pause(void)
{
    while (uv_is_active((uv_handle_t *)&acceptor.poll))
        uv_run(&uv, UV_RUN_ONCE);
}

static int count_lines(void)
{
    return log_text_count(log_text_take(&log_), "cannot accept connections");
}

UNIT_TEST(acceptor_tries_again_without_descriptors)
{
    struct rlimit limit;
    uint64_t start_ms = uv_now(&uv);

    connect_client();
    log_text_start(&log_, LOG_WARNING);
    limit = use_up_descriptors();
    await_pause();
    ck_assert_uint_eq(waits(), 1);
    ck_assert_int_eq(count_lines(), 1);
    ck_assert_uint_gt(acceptor.report_ms, start_ms);
    acceptor.report_ms = UINT64_MAX; /* the next line may be written then */
    while (waits() < 3)
        uv_run(&uv, UV_RUN_ONCE);
    ck_assert_int_eq(count_lines(), 0);
    acceptor.report_ms = 0;
    while (waits() < 4)
        uv_run(&uv, UV_RUN_ONCE);
    ck_assert_int_eq(count_lines(), 1);
    setrlimit(RLIMIT_NOFILE, &limit);
    await_arrival(loops);
    ck_assert_uint_eq(waits(), 4);
    close_connection();
}

/* Who waits in the kernel's queue, unseen, would have been served. */
UNIT_TEST(acceptor_reports_an_abort_while_it_waits_for_descriptors)
{
    struct rlimit limit;

    connect_client();
    limit = use_up_descriptors();
    await_pause();
    acceptor_abort(&acceptor);
    setrlimit(RLIMIT_NOFILE, &limit);
    ck_assert(atomic_load(&service.has_cut));
    ck_assert(!uv_is_active((uv_handle_t *)&acceptor.retry));
}

UNIT_TEST(acceptor_that_finishes_waits_for_descriptors)
{
    struct rlimit limit;

    connect_client();
    limit = use_up_descriptors();
    acceptor_finish(&acceptor);
    uv_run(&uv, UV_RUN_NOWAIT);
    ck_assert(atomic_load(&acceptor.is_open));
    setrlimit(RLIMIT_NOFILE, &limit);
    await_arrival(loops);
    close_connection();
    uv_run(&uv, UV_RUN_NOWAIT);
    ck_assert(!atomic_load(&acceptor.is_open));
}

/* The first of those with the fewest connections; an admin port has one loop,
 * and its connections do not count. */
LOOP_TEST(acceptor_chooses_the_least_loaded_loop, 6)
{
    static const struct {
        size_t open[3];
        bool counted;
        size_t chosen;
    } cases[] = {{{0, 0, 0}, true, 0}, {{2, 1, 1}, true, 1},
                 {{2, 2, 1}, true, 2}, {{1, 3, 2}, true, 0},
                 {{3, 1, 2}, true, 1}, {{1, 0, 0}, false, 0}};

    connect_client();
    acceptor.loop_count = COUNT(loops);
    acceptor.profile.limit = 10;
    acceptor.profile.counted = cases[_i].counted;
    for (size_t i = 0; i < COUNT(loops); i++)
        atomic_store(&loops[i].context.open, cases[_i].open[i]);
    uv_run(&uv, UV_RUN_NOWAIT);
    for (size_t i = 0; i < COUNT(loops); i++)
        ck_assert_uint_eq(loops[i].arrivals.count, i == cases[_i].chosen);
    ck_assert_uint_eq(atomic_load(&service.connections), cases[_i].counted);
    await_arrival(&loops[cases[_i].chosen]);
}

UNIT_TEST(acceptor_wakes_each_loop_for_a_new_phase)
{
    acceptor.loop_count = COUNT(loops);
    acceptor_set_phase(&acceptor, SERVICE_DRAINING);
    uv_run(&uv, UV_RUN_NOWAIT);
    ck_assert_int_eq(wakes, 3);
    ck_assert_int_eq(atomic_load(&service.phase), SERVICE_DRAINING);
    acceptor_abort(&acceptor); /* of no client */
    ck_assert(!atomic_load(&service.has_cut));
}

/* Who has connected is served. */
UNIT_TEST(acceptor_refuses_who_comes_late)
{
    connect_client();
    acceptor_refuse(&acceptor);
    ck_assert_int_lt(try_to_connect(), 0);
    await_arrival(loops);
}

/* A port that is given its socket; one that is no socket is none. */
UNIT_TEST(acceptor_takes_the_socket_of_a_service_manager)
{
    static struct acceptor given;
    const struct listener_profile profile = {.limit = 1, .waiting = 100000};
    size_t before = heap_in_use();
    struct status st;
    int file = open("/dev/null", O_RDONLY), manager = dup(acceptor.fd);

    ck_assert(acceptor_init(&given, &service, &profile, &uv));
    ck_assert(!acceptor_open(&given, LISTEN_HTTP, file, &st));
    ck_assert_int_eq(given.fd, -1);
    ck_assert(acceptor_open(&given, LISTEN_HTTP, manager, &st));
    ck_assert_int_eq(given.fd, manager);
    ck_assert(given.address.is_borrowed);
    given.fd = file; /* which cannot be watched */
    ck_assert(!acceptor_start(&given, loops, 1, &st));
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert_str_eq(st.message, "cannot wait for connections: operation not "
                                 "permitted");
    acceptor_free(&given);
    ck_assert_uint_lt(heap_in_use(), before + 100000);
}

FIXTURE(set_up, tear_down)
