#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/process/systemd.h"
#include "tests/server/process/manager.h"
#include "tests/unit.h"

static int activation[LISTEN_PORTS];
static struct systemd notify;
static struct status st;

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

static struct log lines;
static int from; /* what is logged */

/* Opens the socket of a manager as the start does. */
static bool open_manager(const char *path)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    log_init(&lines, ends[1], LOG_INFO, false);
    from = ends[0];
    set("NOTIFY_SOCKET", path);
    return systemd_init(&notify, &lines, &st);
}

/* The log has a line with the text; NULL: it has none. */
static void expect_line(const char *text)
{
    char line[300] = "";

    log_message(&lines, LOG_INFO, "end");
    ck_assert_int_gt(read(from, line, sizeof(line) - 1), 0);
    if (text)
        ck_assert_msg(strstr(line, text) != NULL, "%s", line);
    else
        ck_assert_msg(strstr(line, " info end") && !strstr(line, "warning"),
                      "%s", line);
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
    struct manager manager;

    manager_start(&manager);
    ck_assert(open_manager(manager.name));
    systemd_reloaded(&notify, true);
    systemd_stopping(&notify, 0);
    ck_assert_str_eq(manager_hear(&manager), "READY=1\nSTATUS=");
    ck_assert_str_eq(manager_hear(&manager),
                     "STOPPING=1\nEXTEND_TIMEOUT_USEC=0\n"
                     "STATUS=stopping within 0 s");
    expect_line(NULL);
    manager_stop(&manager);
}

/* A manager that reads nothing holds the daemon up for so long at most. */
UNIT_TEST(notify_waits_a_second_for_a_manager)
{
    struct manager manager;
    struct timeval limit;
    socklen_t len = sizeof(limit);

    manager_start(&manager);
    ck_assert(open_manager(manager.name));
    ck_assert_int_eq(
        getsockopt(notify.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &len), 0);
    ck_assert_int_eq(limit.tv_sec, 1);
    ck_assert_int_eq(limit.tv_usec, 0);
    manager_stop(&manager);
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
    expect_line("warning cannot tell the service manager reason=\"No such "
                "file or directory\"");
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
    expect_line(NULL);
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
