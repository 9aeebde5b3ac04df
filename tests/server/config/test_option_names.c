#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/config/options.h"
#include "tests/unit.h"

static const struct {
    const char *name;
    const char *nearest; /* NULL: none */
} names[] = {
    {"http-prot", "http-port"},
    {"http-por", "http-port"},
    {"http-portt", "http-port"},
    {"htpport", "http-port"},
    {"wroker-count", "worker-count"},
    {"max-connection", "max-connections"},
    {"model", "models"},
    {"hlep", "help"},
    {"hlpe", NULL}, /* two letters of four */
    {"halp", "help"},
    /* A part of the name, or more than it. */
    {"port", "http-port"},
    {"queue", "max-queue-size"},
    {"address", "http-address"},
    {"log", "log-format"},
    {"tls", "tls-cert"},
    {"tls-certificate", "tls-cert"},
    {"restricted-api", "http-restricted-api"},
    {"ort", NULL},
    {"restrict", NULL}, /* no whole word */
    {"ht", "http-address"},
    {"tls-cert-of-sixty-three-letters-which-is-the-longest-name-to-se",
     "tls-cert"},
    {"tls-cert-of-sixty-four-letters-which-is-past-the-longest-to-seee", NULL},
    {"grpc-prt", "grpc-port"},
    {"no-such-thing", NULL},
    {"HTTP-PORT", NULL},
    {"x", NULL},
    {"", NULL},
    {"a-name-that-is-longer-than-any-option-and-than-sixty-three-letters",
     NULL},
};

LOOP_TEST(nearest_name_is_the_option_that_was_meant, COUNT(names))
{
    const struct option *found =
        options_nearest(names[_i].name, strlen(names[_i].name));

    if (!names[_i].nearest)
        ck_assert_msg(!found, "%s: %s", names[_i].name, found->name);
    else
        ck_assert_msg(found && strcmp(found->name, names[_i].nearest) == 0,
                      "%s: %s", names[_i].name, found ? found->name : "none");
}

UNIT_TEST(nearest_name_of_a_mistyped_option_is_itself)
{
    char name[64];

    for (const struct option *o = option_table; o->name; o++) {
        snprintf(name, sizeof(name), "%s", o->name);
        name[strlen(name) - 1] = '_';
        ck_assert_ptr_eq(options_nearest(name, strlen(name)), o);
    }
}

/* What the log says of a variable beside others, without time and newline. */
static const char *report(const char *variable)
{
    static char line[1000];
    char text[300];
    char *environment[] = {"PATH=/bin", text, "FLIPD_IDLE_TIMEOUT=5", NULL};
    struct log log;
    ssize_t len;
    int ends[2];

    strcpy(text, variable);
    ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
    log_init(&log, ends[1], LOG_INFO, false);
    options_report_strays(environment, &log);
    len = read(ends[0], line, sizeof(line));
    close(ends[0]);
    close(ends[1]);
    line[len > 0 ? len - 1 : 0] = '\0';
    return len > 0 ? strchr(line, ' ') + 1 : "";
}

static const struct {
    const char *variable, *name, *nearest;
} strays[] = {
    {"FLIPD_HTTP_PROT=1", "FLIPD_HTTP_PROT", "FLIPD_HTTP_PORT"},
    {"FLIPD_PORT=8000", "FLIPD_PORT", "FLIPD_HTTP_PORT"},
    {"FLIPD_MODEL=a=b", "FLIPD_MODEL", "FLIPD_MODELS"},
    {"FLIPD_HELP=1", "FLIPD_HELP", ""},
    {"FLIPD_http_port=1", "FLIPD_http_port", "FLIPD_HTTP_PORT"},
    {"FLIPD_NOTHING_LIKE_IT=1", "FLIPD_NOTHING_LIKE_IT", ""},
    {"FLIPD_=1", "FLIPD_", ""},
    {"FLIPD_SIMDX=avx2", "FLIPD_SIMDX", ""},
    {"FLIPD_PORT=tcp://10.0.0.1", "FLIPD_PORT", "FLIPD_HTTP_PORT"},
    {"FLIPD_MY_PORT=http://10.0.0.1:80", "FLIPD_MY_PORT", ""},
    {"FLIPD_MODEL=tcp://10.0.0.1:80", "FLIPD_MODEL", "FLIPD_MODELS"},
    {"FLIPD_MY_PORT=tcp://10.0.0.1:80a", "FLIPD_MY_PORT", ""},
    {"FLIPD_MY_PORT=tcp://10.0.0.1:", "FLIPD_MY_PORT", ""},
    {"FLIPD_MY_PORT=tcp://:80", "FLIPD_MY_PORT", ""},
    {"FLIPD_MY_PORT=tcp:80", "FLIPD_MY_PORT", ""},
};

LOOP_TEST(stray_variable_is_named_with_the_nearest, COUNT(strays))
{
    char line[200];

    snprintf(line, sizeof(line),
             "warning no option has this variable variable=%s%s%s",
             strays[_i].name, *strays[_i].nearest ? " did_you_mean=" : "",
             strays[_i].nearest);
    ck_assert_str_eq(report(strays[_i].variable), line);
}

/* What a Kubernetes service called flipd puts into the environment is here too.
 */
static const char *const known[] = {
    "FLIPD_HTTP_PORT=1",
    "FLIPD_SIMD=avx2",
    "FLIPD_HTTP_PROT=",
    "FLIPD_HTTP_PROT",
    "FLIP_HTTP_PROT=1",
    "MY_FLIPD_HTTP_PROT=1",
    "FLIPD_PORT=tcp://10.0.0.1:8000",
    "FLIPD_PORT_8000_TCP=tcp://10.0.0.1:8000",
    "FLIPD_PORT_8000_TCP_ADDR=10.0.0.1",
    "FLIPD_SERVICE_HOST=10.0.0.1",
    "FLIPD_SERVICE_PORT=8000",
    "FLIPD_SERVICE_PORT_HTTP=8000",
    "FLIPD_PORT_8000_TCP_PORT=8000",
    "FLIPD_PORT_8000_TCP_PROTO=tcp",
    "FLIPD_ADMIN_SERVICE_HOST=10.0.0.1",
    "FLIPD_ADMIN_SERVICE_PORT=8002",
    "FLIPD_ADMIN_SERVICE_PORT_METRICS=8002",
    "FLIPD_ADMIN_PORT_8002_TCP=tcp://10.0.0.1:8002",
    "FLIPD_ADMIN_PORT_8002_TCP_ADDR=10.0.0.1",
    "FLIPD_CANARY_PORT=tcp://[fd00::1]:8000",
    "FLIPD_DNS_PORT=udp://10.0.0.1:53",
    "FLIPD_ANY_PORT=sctp://a:7",
    "FLIPDX_HTTP_PROT=1",
};

LOOP_TEST(stray_variables_are_no_others, COUNT(known))
{
    ck_assert_str_eq(report(known[_i]), "");
}

UNIT_TEST(stray_variable_of_a_service_may_have_an_options_name)
{
    ck_assert_str_eq(report("FLIPD_ADMIN_PORT=tcp://10.0.0.1:8002"),
                     "info this variable describes a service: it sets no "
                     "option variable=FLIPD_ADMIN_PORT");
    ck_assert_str_eq(report("FLIPD_ADMIN_PROT=8002"),
                     "warning no option has this variable "
                     "variable=FLIPD_ADMIN_PROT did_you_mean=FLIPD_ADMIN_PORT");
}

UNIT_TEST(stray_variable_of_any_length_is_named)
{
    char variable[200], line[200];

    memset(variable, 'A', sizeof(variable));
    memcpy(variable, "FLIPD_", 6);
    strcpy(variable + sizeof(variable) - 3, "=1");
    snprintf(line, sizeof(line),
             "warning no option has this variable variable=%.*s",
             OPTION_VARIABLE_SIZE - 1, variable);
    ck_assert_str_eq(report(variable), line);
}
