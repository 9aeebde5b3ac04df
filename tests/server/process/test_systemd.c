#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/process/systemd.h"
#include "tests/server/log_text.h"
#include "tests/unit.h"

/* A service manager: the socket that NOTIFY_SOCKET names. */
static int manager;
static char manager_name[64]; /* @ and an abstract name */

static void start_manager(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = (size_t)snprintf(manager_name, sizeof(manager_name),
                                  "@flipd-test-%d", (int)getpid());

    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    memcpy(address.sun_path + 1, manager_name + 1, len - 1);
    ck_assert_int_eq(
        bind(manager, (struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)),
        0);
    setenv("NOTIFY_SOCKET", manager_name, 1);
}

/* It hears its next message; "": there is none. */
static const char *heard(void)
{
    static char text[4096];
    ssize_t len = recv(manager, text, sizeof(text) - 1, 0);

    text[len < 0 ? 0 : len] = '\0';
    return text;
}

static int activation[LISTEN_PORTS];
static struct systemd notify;
static struct status st;
static struct log lines;

/* A service with one loop, which does not run, and one worker of each kind,
 * which do. */
enum { WATCHDOG_US = 80000, WAIT_MS = 30000 };
static struct service service;
static struct options options = {.worker_count = 1, .max_queue_size = 1};
static struct acceptor port, admin;
static struct loop loop;
static uv_loop_t uv;

static void set_up(void)
{
    start_manager();
    unsetenv("WATCHDOG_PID");
    unsetenv("WATCHDOG_USEC");
    log_text_start(&lines, LOG_INFO);
    uv_loop_init(&uv);
    service.jobs = (struct job_context){.options = &options, .log = &lines};
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
}

static void set(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

static bool read_sockets(const char *pid, const char *fds, const char *names)
{
    set("LISTEN_PID", pid);
    set("LISTEN_FDS", fds);
    set("LISTEN_FDNAMES", names);
    return systemd_read_sockets(activation, &st);
}

static const char *this_process(void)
{
    static char pid[16];

    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    return pid;
}

/* Opens the socket of a manager as the start does. */
static bool open_manager(const char *path)
{
    set("NOTIFY_SOCKET", path);
    return systemd_init(&notify, &lines, &st);
}

static const struct {
    const char *fds, *names;
    int http, admin;
} taken[] = {
    {"0", NULL, -1, -1},        {"", NULL, -1, -1},
    {NULL, "http", -1, -1},     {"1", NULL, 3, -1},
    {"1", "", 3, -1},           {"1", "unknown", 3, -1},
    {"1", "http", 3, -1},       {"1", "admin", -1, 3},
    {"2", "http:admin", 3, 4},  {"2", "admin:http", 4, 3},
    {"1", "http:admin", 3, -1},
};

LOOP_TEST(activation_finds_ports_by_name, COUNT(taken))
{
    ck_assert(read_sockets(this_process(), taken[_i].fds, taken[_i].names));
    ck_assert_int_eq(activation[LISTEN_HTTP], taken[_i].http);
    ck_assert_int_eq(activation[LISTEN_ADMIN], taken[_i].admin);
}

static const struct {
    const char *fds, *names, *text;
} refused[] = {
    {"3", "a:b:c", "LISTEN_FDS is \"3\", but must be a whole number in 0..2"},
    {"-1", NULL, "LISTEN_FDS is \"-1\""},
    {"1x", NULL, "LISTEN_FDS is \"1x\""},
    {"99999999999999999999", NULL, "LISTEN_FDS is \"9999"},
    {"1", "metrics",
     "the name of descriptor 3 is \"metrics\", but must be http or admin"},
    {"1", "flipd.socket", "\"flipd.socket\", but must be http or admin"},
    {"2", NULL, "the name of descriptor 3 is \"unknown\""},
    {"2", "http", "the name of descriptor 4 is \"unknown\""},
    {"2", "http:http", "descriptors 3 and 4 are both named http"},
    {"2", "admin:admin", "descriptors 3 and 4 are both named admin"},
};

LOOP_TEST(activation_refuses_what_no_port_can_have, COUNT(refused))
{
    ck_assert(
        !read_sockets(this_process(), refused[_i].fds, refused[_i].names));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refused[_i].text), "%s", st.message);
}

UNIT_TEST(activation_leaves_the_sockets_of_another_process)
{
    ck_assert(read_sockets("1", "9", "x"));
    ck_assert_int_eq(activation[LISTEN_HTTP], -1);
    ck_assert(read_sockets(NULL, "1", NULL));
    ck_assert_int_eq(activation[LISTEN_HTTP], -1);
    ck_assert(!read_sockets("me", "1", NULL));
    ck_assert_ptr_nonnull(strstr(st.message, "LISTEN_PID is \"me\""));
}

UNIT_TEST(notify_sends_each_message_whole)
{
    struct timeval limit;
    socklen_t len = sizeof(limit);

    ck_assert(open_manager(manager_name));
    /* It may hold the daemon up for so long at most. */
    ck_assert_int_eq(
        getsockopt(notify.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &len), 0);
    ck_assert_int_eq(limit.tv_sec, 1);
    ck_assert_int_eq(limit.tv_usec, 0);
    systemd_reloaded(&notify, true);
    systemd_stopping(&notify, 0);
    ck_assert_str_eq(heard(), "READY=1\nSTATUS=");
    ck_assert_str_eq(heard(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=0\n"
                              "STATUS=stopping within 0 s");
    ck_assert_str_eq(log_text_take(&lines), "");
}

/* As after `systemctl daemon-reexec`, or of a container that starts later. */
UNIT_TEST(notify_finds_a_manager_that_was_started_again)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char folder[] = "/tmp/flipd-notify-XXXXXX", text[32];
    ssize_t len;
    int fd;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
    ck_assert(open_manager(address.sun_path));
    systemd_reloaded(&notify, true);
    ck_assert_ptr_nonnull(strstr(log_text_take(&lines),
                                 "warning cannot tell the service manager "
                                 "reason=\"No such file or directory\""));
    for (int i = 0; i < 2; i++) {
        fd = socket(AF_UNIX, SOCK_DGRAM, 0);
        ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)),
                         0);
        systemd_reloaded(&notify, true);
        len = recv(fd, text, sizeof(text), 0);
        ck_assert_int_eq(len, (int)strlen("READY=1\nSTATUS="));
        close(fd);
        unlink(address.sun_path);
    }
    rmdir(folder);
}

LOOP_TEST(notify_without_a_manager_says_nothing, 2)
{
    ck_assert(open_manager(_i ? "" : NULL));
    ck_assert_int_lt(notify.fd, 0);
    systemd_reloaded(&notify, true);
    ck_assert_str_eq(log_text_take(&lines), "");
}

static const char *const bad_paths[] = {"vsock:2:1234", "run/notify", "/", "@"};

LOOP_TEST(notify_refuses_what_is_no_address, COUNT(bad_paths))
{
    ck_assert(!open_manager(bad_paths[_i]));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, bad_paths[_i]));
}

UNIT_TEST(notify_refuses_a_path_that_no_socket_can_have)
{
    char path[120] = "/";

    memset(path + 1, 'a', 106);
    ck_assert(open_manager(path));
    memset(path + 1, 'a', 107);
    ck_assert(!open_manager(path));
    ck_assert_ptr_nonnull(strstr(st.message, "2..107 bytes"));
}

/* NULL for `pid`: of this process. */
static const struct {
    const char *usec, *pid;
    uint64_t us; /* UINT64_MAX: refused */
} watchdogs[] = {
    {NULL, "", 0},
    {"", "", 0},
    {"30000000", "", 30000000},
    {"30000000", NULL, 30000000},
    {"30000000", "1", 0},
    {"0", "", UINT64_MAX},
    {"30s", "", UINT64_MAX},
    {"-1", "", UINT64_MAX},
    {"1", "me", UINT64_MAX},
};

LOOP_TEST(notify_reads_the_watchdog_of_this_process, COUNT(watchdogs))
{
    const char *pid = watchdogs[_i].pid;
    bool ok;

    set("WATCHDOG_USEC", watchdogs[_i].usec);
    set("WATCHDOG_PID", pid ? pid : this_process());
    ok = open_manager(NULL);
    ck_assert(ok == (watchdogs[_i].us != UINT64_MAX));
    if (ok)
        ck_assert_uint_eq(notify.watchdog_us, watchdogs[_i].us);
    else
        ck_assert_ptr_nonnull(strstr(st.message, "WATCHDOG_"));
}

static void make_ready(void)
{
    ck_assert_msg(systemd_init(&notify, &lines, &st), "%s", st.message);
    systemd_ready(&notify, &port, &admin, &uv);
}

UNIT_TEST(systemd_tells_the_life_of_the_daemon)
{
    uint64_t before_us = clock_now_us(), told_us;
    char status[64];

    make_ready();
    ck_assert_str_eq(heard(), "READY=1\nSTATUS=serving at unix:");
    systemd_reloading(&notify);
    ck_assert_int_eq(sscanf(heard(),
                            "RELOADING=1\nMONOTONIC_USEC=%lu\nSTATUS=%63[^\n]",
                            &told_us, status),
                     2);
    ck_assert_uint_ge(told_us, before_us);
    ck_assert_uint_le(told_us, clock_now_us());
    ck_assert_str_eq(status, "reading files again");
    systemd_reloaded(&notify, true);
    ck_assert_str_eq(heard(), "READY=1\nSTATUS=serving at unix:");
    systemd_reloaded(&notify, false);
    ck_assert_ptr_nonnull(strstr(heard(), "reload failed"));
    systemd_stopping(&notify, 32100);
    ck_assert_str_eq(heard(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=32100000\n"
                              "STATUS=stopping within 33 s");
    ck_assert_str_eq(heard(), "");
}

/* In a path of a unix socket. */
UNIT_TEST(systemd_keeps_a_newline_out_of_the_status)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&port.address.storage;

    un->sun_family = AF_UNIX;
    snprintf(un->sun_path, sizeof(un->sun_path), "/tmp/a\nWATCHDOG=1");
    make_ready();
    ck_assert_str_eq(heard(),
                     "READY=1\nSTATUS=serving at unix:/tmp/a?WATCHDOG=1");
}

/* Messages of the watchdog while the loop ticks or does not, for `ms`. */
static int signs_of_life(bool loop_ticks, uint64_t ms)
{
    uint64_t until_ms = clock_now_ms() + ms;
    int count = 0;

    while (clock_now_ms() < until_ms) {
        atomic_store(&loop.context.is_alive, loop_ticks);
        uv_run(&uv, UV_RUN_ONCE);
        while (strcmp(heard(), "WATCHDOG=1") == 0)
            count++;
    }
    return count;
}

UNIT_TEST(systemd_shows_life_while_all_threads_do)
{
    uint64_t until_ms = clock_now_ms() + WAIT_MS;
    int count = 0;

    setenv("WATCHDOG_USEC", "80000", 1);
    make_ready();
    ck_assert_uint_eq(notify.watchdog_us, WATCHDOG_US);
    heard();
    while (count < 3 && clock_now_ms() < until_ms)
        count += signs_of_life(true, 100);
    ck_assert_int_ge(count, 3);
    signs_of_life(false, 1); /* one may be due */
    ck_assert_int_eq(signs_of_life(false, 500), 0);
    until_ms = clock_now_ms() + WAIT_MS;
    for (count = 0; count == 0 && clock_now_ms() < until_ms;)
        count = signs_of_life(true, 100);
    ck_assert_int_gt(count, 0);
    systemd_stopping(&notify, 1000);
    heard();
    atomic_store(&loop.context.is_alive, true);
    ck_assert_int_eq(uv_run(&uv, UV_RUN_NOWAIT), 0);
    ck_assert_str_eq(heard(), "");
}

/* A loop that gives all its time to signs of life would give no other. */
UNIT_TEST(systemd_bounds_the_signs_of_a_short_watchdog)
{
    setenv("WATCHDOG_USEC", "1000", 1);
    make_ready();
    ck_assert_uint_ge(notify.period_ms, 8);
    systemd_stopping(&notify, 1000);
}

FIXTURE(set_up, tear_down)
