#include <stdlib.h>
#include <string.h>

#include "server/config/options.h"
#include "server/log/log.h"
#include "tests/server/config/environment.h"
#include "tests/unit.h"

enum { MAX_ARGUMENTS = 6 };

static struct options options;
static struct status st;

static bool load(const char *const arguments[])
{
    char *argv[MAX_ARGUMENTS + 1] = {"flipd"};
    char copies[MAX_ARGUMENTS][128];
    int argc = 1;

    for (int i = 0; arguments[i]; i++) {
        strcpy(copies[i], arguments[i]);
        argv[argc++] = copies[i];
    }
    memset(&options, 0xFF, sizeof(options)); /* no default is left over */
    return options_load(&options, argc, argv, &st);
}

#define LOAD(...) load((const char *const[]){__VA_ARGS__, NULL})

UNIT_TEST(options_have_the_documented_defaults)
{
    ck_assert(LOAD(NULL));
    ck_assert_int_eq(options.action, OPTIONS_SERVE);
    ck_assert_str_eq(options.http_address, "127.0.0.1");
    ck_assert_int_eq(options.http_port, 8000);
    ck_assert_int_ge(options.http_thread_count, 1);
    ck_assert_int_ge(options.worker_count, 1);
    ck_assert_int_eq(options.http_max_input_size, 268435456);
    ck_assert_int_eq(options.max_inflight_bytes, 0); /* derived later */
    ck_assert_int_eq(options.max_queue_size, 1024);
    ck_assert_int_eq(options.max_queue_delay, 100);
    ck_assert_int_eq(options.inline_limit, 262144);
    ck_assert_int_eq(options.max_connections, 0);
    ck_assert_int_eq(options.max_connections_per_address, 0);
    ck_assert_int_eq(options.header_timeout, 10);
    ck_assert_int_eq(options.body_timeout, 10);
    ck_assert_int_eq(options.idle_timeout, 75);
    ck_assert_int_eq(options.drain_delay, 0);
    ck_assert_int_eq(options.exit_timeout_secs, 30);
    ck_assert_int_eq(options.log_format, OPTIONS_LOG_TEXT);
    ck_assert(!options.access_log);
    ck_assert(options.server_timing);
    ck_assert_int_eq(options.admin_port, 0);
    ck_assert_int_eq(options.grpc_port, -1);
    ck_assert_int_eq(options.grpc_max_message, 0);
    ck_assert_int_eq(options.grpc_max_streams, 128);
    ck_assert_int_eq(options.grpc_max_resets, 500);
    ck_assert_int_eq(options.max_connection_age, 0);
    ck_assert_int_eq(options.max_inflight_bytes_per_address, 0);
    ck_assert_int_eq(options.http_response_compression, 0); /* auto */
    ck_assert_int_eq(options.log_level, LOG_INFO);
    /* Clients only ask, and all who reach the port may. */
    ck_assert(!options.allow_client_shm);
    ck_assert(!options.allow_log_changes);
    ck_assert_str_eq(options.shm_prefix, "/");
    ck_assert_int_eq(options.http_restricted_api.count, 0);
    ck_assert_ptr_null(options.cors_allow_origin);
    ck_assert_ptr_null(options.admin_address);
    ck_assert_ptr_null(options.grpc_address);
    ck_assert_ptr_null(options.models);
    ck_assert_ptr_null(options.tls_cert);
    ck_assert_ptr_null(options.tls_key);
    ck_assert_ptr_null(options.tls_client_ca);
}

UNIT_TEST(options_accept_a_value_as_argument_or_after_equals)
{
    ck_assert(LOAD("--http-port", "81", "--http-address=::1"));
    ck_assert_int_eq(options.http_port, 81);
    setenv("FLIPD_IDLE_TIMEOUT", "2m", 1);
    ck_assert(LOAD("--inline-limit=64KiB", "--max-queue-delay", "2s"));
    ck_assert_int_eq(options.inline_limit, 65536);
    ck_assert_int_eq(options.max_queue_delay, 2000);
    ck_assert_int_eq(options.idle_timeout, 120);
}

UNIT_TEST(options_know_the_port_of_an_address_of_grpc)
{
    ck_assert(LOAD("--grpc-address=::1"));
    ck_assert_int_eq(options.grpc_port, 8001);
    ck_assert(LOAD("--grpc-address=::1", "--grpc-port=0"));
    ck_assert_int_eq(options.grpc_port, 0);
}

UNIT_TEST(options_of_the_command_line_override_variables)
{
    setenv("FLIPD_HTTP_PORT", "82", 1);
    setenv("FLIPD_IDLE_TIMEOUT", "5", 1);
    ck_assert(LOAD("--http-port=83"));
    ck_assert_int_eq(options.http_port, 83);
    ck_assert_int_eq(options.idle_timeout, 5);
    setenv("FLIPD_HTTP_PORT", "x", 1);
    ck_assert(LOAD("--http-port=83"));
    ck_assert_int_eq(options.http_port, 83);
    ck_assert(!LOAD("--access-log"));
    ck_assert_ptr_nonnull(strstr(st.message, "FLIPD_HTTP_PORT is \"x\""));
}

LOOP_TEST(options_that_only_print_need_no_right_variable, 3)
{
    static const char *const arguments[] = {"--help", "-h", "--version"};

    setenv("FLIPD_HTTP_PORT", "x", 1);
    ck_assert(LOAD(arguments[_i]));
    ck_assert(!LOAD("--check"));
    ck_assert(!LOAD(arguments[_i], "--idle-timeout=0"));
    ck_assert_ptr_nonnull(strstr(st.message, "--idle-timeout"));
}

/* What Kubernetes says of services called flipd-http and flipd-admin. */
UNIT_TEST(options_ignore_the_address_of_a_service)
{
    setenv("FLIPD_HTTP_PORT", "tcp://10.96.0.7:8000", 1);
    setenv("FLIPD_ADMIN_PORT", "tcp://[fd00::7]:8002", 1);
    ck_assert(LOAD(NULL));
    ck_assert_int_eq(options.http_port, 8000);
    ck_assert_int_eq(options.admin_port, 0);
    setenv("FLIPD_ADMIN_PORT", "tcp://10.96.0.7", 1);
    ck_assert(!LOAD(NULL));
    ck_assert_ptr_nonnull(strstr(st.message, "FLIPD_ADMIN_PORT is"));
}

UNIT_TEST(
    options_ignore_an_empty_variable_and_one_of_an_action_and_name_a_wrong_one)
{
    setenv("FLIPD_CHECK", "true", 1);
    setenv("FLIPD_HTTP_PORT", "", 1);
    ck_assert(LOAD(NULL));
    ck_assert_int_eq(options.action, OPTIONS_SERVE);
    ck_assert_int_eq(options.http_port, 8000);
    setenv("FLIPD_WORKER_COUNT", "-1", 1);
    ck_assert(!LOAD(NULL));
    ck_assert_str_eq(st.message, "FLIPD_WORKER_COUNT is \"-1\", but must be a "
                                 "whole number in 1..1024");
}

static const struct {
    const char *arguments[3];
    const char *message;
} refused[] = {
    {{"--http-port", "8x"},
     "--http-port is \"8x\", but must be a whole number in 0..65535"},
    {{"--http-address="}, "--http-address is empty"},
    {{"--access-log=yes"},
     "--access-log is \"yes\", but must be true or false"},
    {{"--access-log", "true"},
     "true stands alone: a flag's value is written behind an equals sign, as "
     "in --access-log=true"},
    {{"--access-log", "false"},
     "false stands alone: a flag's value is written behind an equals sign, as "
     "in --access-log=false"},
    {{"--shm-prefix", "--check"}, "--shm-prefix needs a value"},
    {{"--http-por=1"},
     "--http-por is not an option; did you mean --http-port? --help lists "
     "them"},
    {{"http-port=1"},
     "http-port is not an option; did you mean --http-port? --help lists "
     "them"},
    {{"--idle-timeout=100ms"},
     "--idle-timeout is \"100ms\", but must be a whole number in 1..86400 "
     "seconds, or with ms, s, m or h"},
    {{"--inline-limit=1 KiB"},
     "--inline-limit is \"1 KiB\", but must be a whole number in "
     "0..1073741824 bytes, or with KiB, MiB, GiB, TiB or PiB"},
    {{"xxhttp-port=1"},
     "xxhttp-port is not an option; did you mean --http-port? --help lists "
     "them"},
    {{"-tls"},
     "-tls is not an option; did you mean --tls-cert? --help lists them"},
    {{"tls"},
     "tls is not an option: flipd takes options only, and serves without "
     "any; --help lists them"},
    {{"--check", "serve"},
     "serve is not an option: flipd takes options only, and serves without "
     "any; --help lists them"},
    {{"-p"}, "-p is not an option; --help lists them"},
    {{"--hepl"},
     "--hepl is not an option; did you mean --help? --help lists them"},
    {{"serve"},
     "serve is not an option: flipd takes options only, and serves without "
     "any; --help lists them"},
    {{""},
     " is not an option: flipd takes options only, and serves without any; "
     "--help lists them"},
    {{"--log-level="
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
     "--log-level is \""
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaa...\", but must be one of error, warning, "
     "info, debug"},
};

LOOP_TEST(options_refusal_names_option_value_and_range, COUNT(refused))
{
    ck_assert(!load(refused[_i].arguments));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_str_eq(st.message, refused[_i].message);
}

LOOP_TEST(options_read_actions, 5)
{
    static const struct {
        const char *argument;
        enum options_action action;
    } cases[] = {{"--help", OPTIONS_HELP},
                 {"-h", OPTIONS_HELP},
                 {"--check", OPTIONS_CHECK},
                 {"--version", OPTIONS_VERSION},
                 {"--probe", OPTIONS_PROBE}};

    ck_assert(LOAD(cases[_i].argument));
    ck_assert_int_eq(options.action, cases[_i].action);
}

/* The log's format is known, wherever in the arguments the error is. */
UNIT_TEST(options_are_read_to_the_end_after_an_error)
{
    setenv("FLIPD_WORKER_COUNT", "x", 1);
    ck_assert(!LOAD("--port", "1", "--idle-timeout=0", "--log-format", "json"));
    ck_assert_ptr_nonnull(strstr(st.message, "--port is not an option"));
    ck_assert_int_eq(options.log_format, OPTIONS_LOG_JSON);
    setenv("FLIPD_LOG_FORMAT", "json", 1);
    ck_assert(!LOAD(NULL));
    ck_assert_ptr_nonnull(strstr(st.message, "FLIPD_WORKER_COUNT is \"x\""));
    ck_assert_int_eq(options.log_format, OPTIONS_LOG_JSON);
    unsetenv("FLIPD_WORKER_COUNT");
    ck_assert(!LOAD("--port", "--http-port"));
    ck_assert_ptr_nonnull(strstr(st.message, "--port is not an option"));
}

static const char *print_help(void)
{
    static char text[64 << 10];
    FILE *out = fmemopen(text, sizeof(text), "w");

    options_help(out);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

static void has_once(const char *text, const char *part)
{
    const char *at = strstr(text, part);

    ck_assert_msg(at && !strstr(at + 1, part), "%s", part);
}

UNIT_TEST(options_help_names_every_option_and_variable)
{
    const char *text = print_help();
    char name[OPTION_VARIABLE_SIZE + 8];

    for (const struct option *o = option_table; o->name; o++) {
        snprintf(name, sizeof(name), "\n  --%s\n", o->name);
        ck_assert_msg(strstr(text, name) != NULL, "%s", o->name);
        option_variable(o, name);
        if (o->kind != OPTION_ACTION)
            ck_assert_msg(strstr(text, name) != NULL, "%s", name);
    }
    ck_assert_ptr_nonnull(strstr(
        text, "FLIPD_IDLE_TIMEOUT: 1s..24h, in seconds without a suffix; "
              "default 75s\n"));
    ck_assert_ptr_nonnull(strstr(text, "FLIPD_HTTP_PORT: 0..65535; default "));
    ck_assert_ptr_nonnull(
        strstr(text, "\nBytes may have the suffix KiB, MiB, GiB, TiB or PiB,\n"
                     "times ms, s, m or h.\n"));
}

static const char *const help_parts[] = {
    "\n      FLIPD_ACCESS_LOG: true|false; default false\n",
    "\n      FLIPD_LOG_LEVEL: error|warning|info|debug; default info\n",
    "\n      FLIPD_GRPC_PORT: -1..65535; default -1\n",
    "\n      FLIPD_HTTP_ADDRESS: ADDRESS; default 127.0.0.1\n",
    "\n      FLIPD_INLINE_LIMIT: 0..1GiB, in bytes without a suffix; default "
    "256KiB\n",
    "\n      FLIPD_ADMIN_ADDRESS: ADDRESS; default that of http-address; "
    "127.0.0.1 beside a unix socket\n",
    "\n  --version\n      print the version\n  --help\n",
    "\n\nSignals:\n  SIGTERM, SIGINT\n      drain and stop; ",
};

/* Each title once, in front of the first of its group. */
UNIT_TEST(options_help_has_titles_and_values)
{
    const char *text = print_help();
    char part[200];

    for (size_t i = 0; i < COUNT(help_parts); i++)
        has_once(text, help_parts[i]);
    for (const struct option *o = option_table; o->name; o++) {
        if (o > option_table && o->group == o[-1].group)
            continue;
        snprintf(part, sizeof(part), "\n\n%s:\n", option_groups[o->group]);
        has_once(text, part);
    }
    for (const struct option_note *note = option_notes; note->name; note++) {
        snprintf(part, sizeof(part), "\n  %s\n      ", note->name);
        has_once(text, part);
    }
    ck_assert_ptr_null(strstr(text, "null"));
}

FIXTURE(clear_environment, clear_environment)
