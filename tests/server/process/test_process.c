/* Lines of the log at the start. */
#include <check.h>
#include <string.h>
#include <unistd.h>

#include "server/process/process.h"
#include "tests/suite.h"

static struct log log_;
static int from;

static void set_up(void)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    log_init(&log_, ends[1], LOG_INFO, false);
    from = ends[0];
}

static void expect(const char *line)
{
    char text[1000] = "";
    ssize_t len = read(from, text, sizeof(text) - 1);

    ck_assert_int_gt(len, 0);
    text[len] = '\0';
    ck_assert_str_eq(text + strcspn(text, " ") + 1, line);
}

START_TEST(report_names_each_term_of_the_plan)
{
    const struct memory_plan plan = {.base = 1,
                                     .connections = 2,
                                     .per_connection = 3,
                                     .waiting = 4,
                                     .inflight = 5,
                                     .json = 6,
                                     .total = 7,
                                     .limit = 8};

    process_report_memory(&log_, &plan);
    expect("info memory at most base=1 connections=2 per_connection=3 "
           "waiting=4 inflight=5 json=6 total=7 limit=8\n");
}
END_TEST

START_TEST(report_names_the_port)
{
    static struct service service;
    struct acceptor port = {.service = &service};
    struct options options = {.http_address = "127.0.0.1", .http_port = 81};
    struct status st;

    service.jobs.log = &log_;
    ck_assert(listen_parse(&options, LISTEN_HTTP, &port.address, &st));
    process_report_port(&port, "listening on");
    expect("info listening on 127.0.0.1:81 url=http://127.0.0.1:81\n");
    port.profile.tls = true;
    port.address.is_borrowed = true;
    process_report_port(&port, "admin port at");
    expect("info admin port at 127.0.0.1:81 url=https://127.0.0.1:81 "
           "from=\"service manager\"\n");
    options.http_address = "unix:/run/a";
    ck_assert(listen_parse(&options, LISTEN_HTTP, &port.address, &st));
    process_report_port(&port, "listening on");
    expect("info listening on unix:/run/a\n");
}
END_TEST

START_TEST(report_names_the_reason_of_a_failure)
{
    struct status st;

    status_fail(&st, STATUS_INVALID, "a port is in use");
    process_report_failure(&log_, &st);
    expect("error cannot start reason=\"a port is in use\"\n");
}
END_TEST

SUITE_WITH("process", set_up, NULL, TEST(report_names_each_term_of_the_plan),
           TEST(report_names_the_port),
           TEST(report_names_the_reason_of_a_failure))
