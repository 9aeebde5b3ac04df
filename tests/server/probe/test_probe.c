#include <check.h>
#include <string.h>

#include "server/probe/probe.h"
#include "tests/count.h"
#include "tests/suite.h"

static const struct {
    const char *text;
    int status;
} replies[] = {
    {"HTTP/1.1 200 OK\r\n", 200}, {"HTTP/1.0 503 Service Unavailable\r\n", 503},
    {"HTTP/1.1 200", 200},        {"HTTP/1.1 20", 0},
    {"HTTP/1.1 2x0 OK", 0},       {"HTTP/2.0 200 OK", 0},
    {"SSH-2.0-OpenSSH_9", 0},     {"", 0},
};

START_TEST(probe_reads_status_lines)
{
    ck_assert_int_eq(probe_status(replies[_i].text, strlen(replies[_i].text)),
                     replies[_i].status);
}
END_TEST

START_TEST(probe_names_the_address_without_a_server)
{
    struct options options = {.http_address = "unix:/tmp/flipd-nobody"};
    struct status st;

    ck_assert(!probe_run(&options, &st));
    ck_assert_ptr_nonnull(
        strstr(st.message, "unix:/tmp/flipd-nobody: No such"));
}
END_TEST

SUITE("probe", LOOP(probe_reads_status_lines, COUNT(replies)),
      TEST(probe_names_the_address_without_a_server))
