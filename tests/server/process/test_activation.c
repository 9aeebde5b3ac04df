#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/process/systemd.h"
#include "tests/count.h"
#include "tests/suite.h"

static char own[16]; /* LISTEN_PID of this process */

static struct systemd_variables for_this(const char *fds, const char *names)
{
    snprintf(own, sizeof(own), "%d", (int)getpid());
    return (struct systemd_variables){own, fds, names};
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

START_TEST(activation_finds_ports_by_name)
{
    struct systemd_variables variables =
        for_this(taken[_i].fds, taken[_i].names);
    struct systemd_sockets activation;
    struct status st;

    ck_assert(systemd_read_sockets(&activation, &variables, 3, &st));
    ck_assert_int_eq(activation.http, taken[_i].http);
    ck_assert_int_eq(activation.admin, taken[_i].admin);
}
END_TEST

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

START_TEST(activation_refuses_what_no_port_can_have)
{
    struct systemd_variables variables =
        for_this(refused[_i].fds, refused[_i].names);
    struct systemd_sockets activation;
    struct status st;

    ck_assert(!systemd_read_sockets(&activation, &variables, 3, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refused[_i].text), "%s", st.message);
}
END_TEST

START_TEST(activation_leaves_the_sockets_of_another_process)
{
    struct systemd_sockets activation;
    struct status st;

    ck_assert(systemd_read_sockets(
        &activation, &(struct systemd_variables){"1", "9", "x"}, 3, &st));
    ck_assert_int_eq(activation.http, -1);
    ck_assert(systemd_read_sockets(
        &activation, &(struct systemd_variables){NULL, "1", NULL}, 3, &st));
    ck_assert_int_eq(activation.http, -1);
    ck_assert(!systemd_read_sockets(
        &activation, &(struct systemd_variables){"me", "1", NULL}, 3, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "LISTEN_PID is \"me\""));
}
END_TEST

SUITE("activation", LOOP(activation_finds_ports_by_name, COUNT(taken)),
      LOOP(activation_refuses_what_no_port_can_have, COUNT(refused)),
      TEST(activation_leaves_the_sockets_of_another_process))
