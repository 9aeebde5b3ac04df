#include <stdlib.h>

#include "server/base/clock.h"
#include "server/process/systemd.h"
#include "tests/server/process/manager.h"
#include "tests/unit.h"

/* A service with one loop, which does not run, and one worker of each kind,
 * which do. */

enum { WATCHDOG_US = 80000, WAIT_MS = 30000 };

static struct manager manager;
static struct systemd systemd;
static struct service service;
static struct options options = {.worker_count = 1, .max_queue_size = 1};
static struct acceptor port, admin;
static struct loop loop;
static struct log log_;
static uv_loop_t uv;

static void set_up(void)
{
    struct status st;

    manager_start(&manager);
    setenv("NOTIFY_SOCKET", manager.name, 1);
    unsetenv("WATCHDOG_PID");
    unsetenv("WATCHDOG_USEC");
    log_init(&log_, STDERR_FILENO, LOG_ERROR, false);
    uv_loop_init(&uv);
    service.jobs = (struct job_context){.options = &options, .log = &log_};
    workers_init(&service.workers, &service.jobs);
    ck_assert(workers_start(&service.workers, &st));
    port = (struct acceptor){.service = &service, .address.port = -1};
    admin = (struct acceptor){.service = &service};
    port.loops = &loop;
    port.loop_count = 1;
}

static void tear_down(void)
{
    ck_assert(loop_close_uv(&uv));
    workers_stop(&service.workers);
    manager_stop(&manager);
}

static void init(void)
{
    struct status st;

    ck_assert_msg(systemd_init(&systemd, &log_, &st), "%s", st.message);
}

UNIT_TEST(systemd_tells_the_life_of_the_daemon)
{
    uint64_t before_us = clock_now_us(), told_us;
    char status[64];

    init();
    systemd_ready(&systemd, &port, &admin, &uv);
    ck_assert_str_eq(manager_hear(&manager),
                     "READY=1\nSTATUS=serving at unix:");
    systemd_reloading(&systemd);
    ck_assert_int_eq(sscanf(manager_hear(&manager),
                            "RELOADING=1\nMONOTONIC_USEC=%lu\nSTATUS=%63[^\n]",
                            &told_us, status),
                     2);
    ck_assert_uint_ge(told_us, before_us);
    ck_assert_uint_le(told_us, clock_now_us());
    ck_assert_str_eq(status, "reading files again");
    systemd_reloaded(&systemd, true);
    ck_assert_str_eq(manager_hear(&manager),
                     "READY=1\nSTATUS=serving at unix:");
    systemd_reloaded(&systemd, false);
    ck_assert_ptr_nonnull(strstr(manager_hear(&manager), "reload failed"));
    systemd_stopping(&systemd, 32100);
    ck_assert_str_eq(manager_hear(&manager),
                     "STOPPING=1\nEXTEND_TIMEOUT_USEC=32100000\n"
                     "STATUS=stopping within 33 s");
    ck_assert_str_eq(manager_hear(&manager), "");
}

/* In a path of a unix socket. */
UNIT_TEST(systemd_keeps_a_newline_out_of_the_status)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&port.address.storage;

    init();
    un->sun_family = AF_UNIX;
    snprintf(un->sun_path, sizeof(un->sun_path), "/tmp/a\nWATCHDOG=1");
    systemd_ready(&systemd, &port, &admin, &uv);
    ck_assert_str_eq(manager_hear(&manager),
                     "READY=1\nSTATUS=serving at unix:/tmp/a?WATCHDOG=1");
}

static const char *const variables[] = {"NOTIFY_SOCKET", "WATCHDOG_USEC"};

LOOP_TEST(systemd_refuses_variables_that_cannot_be, 2)
{
    struct status st;

    setenv(variables[_i], "none", 1);
    ck_assert(!systemd_init(&systemd, &log_, &st));
    ck_assert_ptr_nonnull(strstr(st.message, variables[_i]));
}

static void turn(void)
{
    uv_run(&uv, UV_RUN_ONCE);
}

/* Messages of the watchdog while the loop ticks or does not, for `ms`. */
static int signs_of_life(bool loop_ticks, uint64_t ms)
{
    uint64_t until_ms = clock_now_ms() + ms;
    int count = 0;

    while (clock_now_ms() < until_ms) {
        atomic_store(&loop.context.is_alive, loop_ticks);
        turn();
        while (strcmp(manager_hear(&manager), "WATCHDOG=1") == 0)
            count++;
    }
    return count;
}

UNIT_TEST(systemd_shows_life_while_all_threads_do)
{
    uint64_t until_ms = clock_now_ms() + WAIT_MS;
    int count = 0;

    setenv("WATCHDOG_USEC", "80000", 1);
    init();
    ck_assert_uint_eq(systemd.watchdog_us, WATCHDOG_US);
    systemd_ready(&systemd, &port, &admin, &uv);
    manager_hear(&manager);
    while (count < 3 && clock_now_ms() < until_ms)
        count += signs_of_life(true, 100);
    ck_assert_int_ge(count, 3);
    signs_of_life(false, 1); /* one may be due */
    ck_assert_int_eq(signs_of_life(false, 500), 0);
    until_ms = clock_now_ms() + WAIT_MS;
    for (count = 0; count == 0 && clock_now_ms() < until_ms;)
        count = signs_of_life(true, 100);
    ck_assert_int_gt(count, 0);
    systemd_stopping(&systemd, 1000);
    manager_hear(&manager);
    atomic_store(&loop.context.is_alive, true);
    ck_assert_int_eq(uv_run(&uv, UV_RUN_NOWAIT), 0);
    ck_assert_str_eq(manager_hear(&manager), "");
}

/* A loop that gives all its time to signs of life would give no other. */
UNIT_TEST(systemd_bounds_the_signs_of_a_short_watchdog)
{
    setenv("WATCHDOG_USEC", "1000", 1);
    init();
    systemd_ready(&systemd, &port, &admin, &uv);
    ck_assert_uint_ge(systemd.period_ms, 8);
    systemd_stopping(&systemd, 1000);
}

FIXTURE(set_up, tear_down)
