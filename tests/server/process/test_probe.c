#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/net/listen.h"
#include "server/process/probe.h"
#include "tests/unit.h"

static const struct {
    const char *text;
    int status;
} replies[] = {
    {"HTTP/1.1 200 OK\r\n", 200}, {"HTTP/1.0 503 Service Unavailable\r\n", 503},
    {"HTTP/1.1 200", 200},        {"HTTP/1.1 20", 0},
    {"HTTP/1.1 204 None", 204},   {"HTTP/1.1 100 Wait\r\n", 100},
    {"HTTP/1.1 2x0 OK", 0},       {"HTTP/2.0 200 OK", 0},
    {"SSH-2.0-OpenSSH_9", 0},     {"", 0},
};

/* Answers one request with the text, byte by byte, in a process of its own. */
static void answer_once(int listening, const char *text)
{
    char request[300];
    int fd;

    if (fork() != 0)
        return;
    fd = accept(listening, NULL, NULL);
    if (read(fd, request, sizeof(request)) < 0)
        _exit(1);
    for (; *text && write(fd, text, 1) == 1; text++)
        ;
    _exit(0);
}

static struct options options = {.http_address = "127.0.0.1"};
static struct status st;

/* Listens at a port of the address. */
static int open_port(void)
{
    struct listen_address address;
    int fd;

    ck_assert(listen_parse(&options, LISTEN_HTTP, &address, &st));
    fd = listen_open(&address, &st);
    ck_assert_int_ge(fd, 0);
    options.http_port = address.port;
    return fd;
}

LOOP_TEST(probe_reads_status_lines, COUNT(replies))
{
    int fd = open_port();
    char text[20];

    ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0); /* accept() waits */
    answer_once(fd, replies[_i].text);
    snprintf(text, sizeof(text), " answered %d", replies[_i].status);
    if (probe_run(&options, &st))
        ck_assert_int_eq(replies[_i].status, 200);
    else
        ck_assert_msg(strstr(st.message, text), "%s", st.message);
    ck_assert_int_gt(wait(NULL), 0);
}

UNIT_TEST(probe_names_the_address_without_a_server)
{
    options.http_address = "unix:/tmp/flipd-nobody";
    ck_assert(!probe_run(&options, &st));
    ck_assert_ptr_nonnull(
        strstr(st.message, "unix:/tmp/flipd-nobody: No such"));
}

/* The kernel accepts for it. */
UNIT_TEST(probe_says_that_no_reply_came)
{
    uint64_t from_ms = clock_now_ms(), ms;

    open_port();
    ck_assert(!probe_run(&options, &st));
    ms = clock_now_ms() - from_ms;
    ck_assert_msg(strstr(st.message, ": no reply in 5 s"), "%s", st.message);
    ck_assert_msg(ms > 4900 && ms < 60000, "%d ms", (int)ms);
}
