#include <check.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "server/process/systemd.h"
#include "tests/count.h"
#include "tests/server/process/manager.h"
#include "tests/suite.h"

START_TEST(notify_sends_each_message_whole)
{
    struct manager manager;
    struct systemd notify;
    struct status st;

    manager_start(&manager);
    ck_assert(systemd_open(&notify, manager.name, &st));
    ck_assert(systemd_is_on(&notify));
    ck_assert(systemd_send(&notify, "READY=1\nSTATUS=a", &st));
    ck_assert(systemd_send(&notify, "STOPPING=1", &st));
    ck_assert_str_eq(manager_hear(&manager), "READY=1\nSTATUS=a");
    ck_assert_str_eq(manager_hear(&manager), "STOPPING=1");
    systemd_close(&notify);
    ck_assert(!systemd_is_on(&notify));
    manager_stop(&manager);
}
END_TEST

/* A manager that reads nothing holds the daemon up for so long at most. */
START_TEST(notify_waits_a_second_for_a_manager)
{
    struct manager manager;
    struct timeval limit;
    socklen_t len = sizeof(limit);
    struct systemd notify;
    struct status st;

    manager_start(&manager);
    ck_assert(systemd_open(&notify, manager.name, &st));
    ck_assert_int_eq(
        getsockopt(notify.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &len), 0);
    ck_assert_int_eq(limit.tv_sec, 1);
    ck_assert_int_eq(limit.tv_usec, 0);
    systemd_close(&notify);
    manager_stop(&manager);
}
END_TEST

/* As after `systemctl daemon-reexec`, or of a container that starts later. */
START_TEST(notify_finds_a_manager_that_was_started_again)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char folder[] = "/tmp/flipd-notify-XXXXXX", text[16];
    struct systemd notify;
    struct status st;
    ssize_t len;
    int fd;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
    ck_assert(systemd_open(&notify, address.sun_path, &st));
    ck_assert(!systemd_send(&notify, "READY=1", &st));
    ck_assert_str_eq(st.message, "No such file or directory");
    for (int i = 0; i < 2; i++) {
        fd = socket(AF_UNIX, SOCK_DGRAM, 0);
        ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)),
                         0);
        ck_assert(systemd_send(&notify, "READY=1", &st));
        len = recv(fd, text, sizeof(text), 0);
        ck_assert_int_eq(len, 7);
        close(fd);
        unlink(address.sun_path);
    }
    systemd_close(&notify);
    rmdir(folder);
}
END_TEST

START_TEST(notify_without_a_manager_says_nothing)
{
    struct systemd notify;
    struct status st;

    ck_assert(systemd_open(&notify, _i ? "" : NULL, &st));
    ck_assert(!systemd_is_on(&notify));
    ck_assert(systemd_send(&notify, "READY=1", &st));
    systemd_close(&notify);
}
END_TEST

static const char *const refused[] = {"vsock:2:1234", "run/notify", "/", "@"};

START_TEST(notify_refuses_what_is_no_address)
{
    struct systemd notify;
    struct status st;

    ck_assert(!systemd_open(&notify, refused[_i], &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, refused[_i]));
}
END_TEST

START_TEST(notify_refuses_a_path_that_no_socket_can_have)
{
    char path[120] = "/";
    struct systemd notify;
    struct status st;

    memset(path + 1, 'a', 106);
    ck_assert(systemd_open(&notify, path, &st));
    systemd_close(&notify);
    memset(path + 1, 'a', 107);
    ck_assert(!systemd_open(&notify, path, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "2..107 bytes"));
}
END_TEST

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

START_TEST(notify_reads_the_watchdog_of_this_process)
{
    const char *pid = watchdogs[_i].pid;
    char own[16];
    struct status st;
    uint64_t us;
    bool ok;

    snprintf(own, sizeof(own), "%d", (int)getpid());
    ok = systemd_watchdog_us(watchdogs[_i].usec, pid ? pid : own, &us, &st);
    ck_assert(ok == (watchdogs[_i].us != UINT64_MAX));
    if (ok)
        ck_assert_uint_eq(us, watchdogs[_i].us);
    else
        ck_assert_ptr_nonnull(strstr(st.message, "WATCHDOG_"));
}
END_TEST

SUITE("notify", TEST(notify_sends_each_message_whole),
      TEST(notify_waits_a_second_for_a_manager),
      TEST(notify_finds_a_manager_that_was_started_again),
      LOOP(notify_without_a_manager_says_nothing, 2),
      LOOP(notify_refuses_what_is_no_address, COUNT(refused)),
      TEST(notify_refuses_a_path_that_no_socket_can_have),
      LOOP(notify_reads_the_watchdog_of_this_process, COUNT(watchdogs)))
