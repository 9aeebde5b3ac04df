/* Every option of the table: the values at its bounds, and those past them; how
 * a number is written, and which option a mistyped name means. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/config/host_limits.h"
#include "server/config/options.h"
#include "tests/server/config/environment.h"
#include "tests/server/log_text.h"
#include "tests/unit.h"

static struct options options;
static struct status st;

/* As --name=value or, without a value, --name. */
static bool load(const struct option *o, const char *value)
{
    static char argument[200]; /* options borrow their texts */
    char *argv[] = {"flipd", argument, NULL};

    snprintf(argument, sizeof(argument), "--%s%s%s", o->name, value ? "=" : "",
             value ? value : "");
    return options_load(&options, 2, argv, &st);
}

static bool load_variable(const struct option *o, const char *value)
{
    char variable[OPTION_VARIABLE_SIZE];
    char *argv[] = {"flipd", NULL};
    bool loaded;

    option_variable(o, variable);
    setenv(variable, value, 1);
    loaded = options_load(&options, 1, argv, &st);
    unsetenv(variable);
    return loaded;
}

static const void *field_of(const struct option *o)
{
    return (const char *)&options + o->offset;
}

static int64_t number_of(const struct option *o)
{
    return *(const int64_t *)field_of(o);
}

static void has_text(const char *part)
{
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, part), "no \"%s\" in: %s", part,
                  st.message);
}

static void refuses_number(const struct option *o, const char *value)
{
    char part[200];

    ck_assert_msg(!load(o, value), "--%s=%s", o->name, value);
    snprintf(part, sizeof(part),
             "--%s is \"%s\", but must be a whole number in %" PRId64
             "..%" PRId64,
             o->name, value, o->min, o->max);
    has_text(part);
    if (*value)
        ck_assert_msg(!load_variable(o, value), "%s=%s", o->name, value);
}

static void takes_number(const struct option *o, int64_t number)
{
    char value[40];

    snprintf(value, sizeof(value), "%" PRId64, number);
    ck_assert_msg(load(o, value), "%s", st.message);
    ck_assert_int_eq(number_of(o), number);
    ck_assert_msg(load_variable(o, value), "%s", st.message);
    ck_assert_int_eq(number_of(o), number);
}

/* What an error says of a number, by its unit. */
static const char *const units[] = {
    [OPTION_BYTES] = " bytes, or with KiB, MiB, GiB, TiB or PiB",
    [OPTION_MILLISECONDS] = " milliseconds, or with ms, s, m or h",
    [OPTION_SECONDS] = " seconds, or with ms, s, m or h",
};

UNIT_TEST(numbers_are_taken_up_to_their_bounds)
{
    static const char *const wrong[] = {"", "x", "1x", "1e3", "1,000", "true"};
    char value[OPTION_NUMBER_SIZE + 40];

    for (const struct option *o = option_table; o->name; o++) {
        if (o->kind != OPTION_NUMBER)
            continue;
        takes_number(o, o->min);
        takes_number(o, o->max);
        snprintf(value, sizeof(value), "%" PRId64, o->min - 1);
        refuses_number(o, value);
        snprintf(value, sizeof(value), "%" PRId64, o->max + 1);
        refuses_number(o, value);
        for (size_t i = 0; i < COUNT(wrong); i++)
            refuses_number(o, wrong[i]);
        option_number_print(o->max, o->unit, value); /* with a suffix */
        ck_assert_msg(load(o, value), "%s", st.message);
        ck_assert_int_eq(number_of(o), o->max);
        ck_assert_msg(load_variable(o, value), "%s", st.message);
        if (o->unit == OPTION_PLAIN)
            continue;
        ck_assert(!load(o, o->unit == OPTION_BYTES ? "2048TiB" : "25h"));
        has_text(units[o->unit]);
    }
}

UNIT_TEST(flags_are_true_or_false)
{
    static const char *const wrong[] = {"", "1", "0", "TRUE", "yes", "truex"};

    for (const struct option *o = option_table; o->name; o++) {
        if (o->kind != OPTION_FLAG)
            continue;
        ck_assert(load(o, NULL) && *(const bool *)field_of(o));
        ck_assert(load(o, "false") && !*(const bool *)field_of(o));
        ck_assert(load(o, "true") && *(const bool *)field_of(o));
        ck_assert(load_variable(o, "true") && *(const bool *)field_of(o));
        for (size_t i = 0; i < COUNT(wrong); i++) {
            ck_assert(!load(o, wrong[i]));
            has_text("must be true or false");
        }
    }
}

UNIT_TEST(options_want_a_value_of_their_kind_and_actions_none)
{
    for (const struct option *o = option_table; o->name; o++) {
        if (o->kind == OPTION_FLAG)
            continue;
        ck_assert_int_eq(load(o, NULL), o->kind == OPTION_ACTION);
        if (o->kind == OPTION_ACTION) {
            ck_assert_int_eq(options.action, o->min);
            ck_assert(!load(o, "true"));
            has_text("takes no value");
            continue;
        }
        has_text("needs a value");
        for (int i = 0; o->kind == OPTION_CHOICE && o->choices[i]; i++) {
            ck_assert_msg(load(o, o->choices[i]), "%s", st.message);
            ck_assert_int_eq(number_of(o), i);
            ck_assert(!load(o, i > 0 ? "" : "none-such"));
            has_text(o->choices[i]);
        }
        if (o->kind != OPTION_TEXT)
            continue;
        ck_assert(load(o, "a=b"));
        ck_assert_str_eq(*(const char *const *)field_of(o), "a=b");
        ck_assert(!load(o, ""));
        has_text("is empty");
    }
}

static const struct option *find(const char *name)
{
    const struct option *o = option_table;

    while (strcmp(o->name, name) != 0)
        o++;
    return o;
}

UNIT_TEST(texts_may_be_given_sixteen_times)
{
    char *argv[OPTION_MAX_TEXTS + 3] = {"flipd"};
    char rule[] = "--http-restricted-api=logging:a=b";
    int most = OPTION_MAX_TEXTS;

    for (int i = 1; i <= most + 1; i++)
        argv[i] = rule;
    ck_assert(options_load(&options, most + 1, argv, &st));
    ck_assert_int_eq(options.http_restricted_api.count, most);
    ck_assert(!options_load(&options, most + 2, argv, &st));
    has_text("is given more than");
    ck_assert(!load(find("http-restricted-api"), ""));
    has_text("--http-restricted-api is empty");
}

/* Those of the command line take the place of the environment's. */
UNIT_TEST(texts_of_the_command_line_win)
{
    setenv("FLIPD_HTTP_RESTRICTED_API", "logging:a=b", 1);
    ck_assert(load(find("access-log"), NULL));
    ck_assert_int_eq(options.http_restricted_api.count, 1);
    ck_assert_str_eq(options.http_restricted_api.all[0], "logging:a=b");
    ck_assert(load(find("http-restricted-api"), "metrics:c=d"));
    ck_assert_int_eq(options.http_restricted_api.count, 1);
    ck_assert_str_eq(options.http_restricted_api.all[0], "metrics:c=d");
}

UNIT_TEST(other_arguments_are_refused)
{
    char arguments[][16] = {
        "",     "-",   "--", "x", "--no-such=1", "--1", "--HTTP-PORT=1",
        "--=1", "8000"};

    for (int i = 0; i < COUNT(arguments); i++) {
        char *argv[] = {"flipd", arguments[i], NULL};

        ck_assert(!options_load(&options, 2, argv, &st));
        has_text("is not an option");
        has_text("; --help lists them");
    }
}

static int64_t host;

static int64_t of_host(void)
{
    return host;
}

UNIT_TEST(defaults_of_the_host_stay_in_range)
{
    const struct option o = {.min = 3, .max = 9, .compute = of_host};

    for (host = 0; host < 20; host++)
        ck_assert_int_eq(option_compute(&o), host < 3   ? 3
                                             : host > 9 ? 9
                                                        : host);
}

/* In the place of the server's. */
int64_t host_limits_cores(void)
{
    return host;
}

UNIT_TEST(loops_are_four_a_core_up_to_sixteen)
{
    static const int64_t cores[] = {1, 2, 3, 4, 5, 16, 17, 64, 300},
                         loops[] = {4, 8, 12, 16, 16, 16, 17, 64, 256};

    for (size_t i = 0; i < COUNT(cores); i++) {
        host = cores[i];
        ck_assert(load(find("access-log"), NULL));
        ck_assert_int_eq(options.http_thread_count, loops[i]);
        ck_assert_int_eq(options.worker_count, host);
    }
}

static const struct {
    const char *text;
    enum option_unit unit;
    int64_t value;
} readable[] = {
    {"0", OPTION_PLAIN, 0},
    {"-7", OPTION_PLAIN, -7},
    {"007", OPTION_PLAIN, 7},
    {"9223372036854775807", OPTION_PLAIN, INT64_MAX},
    {"-9223372036854775808", OPTION_PLAIN, INT64_MIN},
    {"1000", OPTION_BYTES, 1000},
    {"0KiB", OPTION_BYTES, 0},
    {"64KiB", OPTION_BYTES, 65536},
    {"256MiB", OPTION_BYTES, INT64_C(256) << 20},
    {"3GiB", OPTION_BYTES, INT64_C(3) << 30},
    {"1TiB", OPTION_BYTES, INT64_C(1) << 40},
    {"8191PiB", OPTION_BYTES, INT64_C(8191) << 50},
    {"-8192PiB", OPTION_BYTES, INT64_MIN},
    {"10", OPTION_SECONDS, 10},
    {"10s", OPTION_SECONDS, 10},
    {"2000ms", OPTION_SECONDS, 2},
    {"5m", OPTION_SECONDS, 300},
    {"24h", OPTION_SECONDS, 86400},
    {"100", OPTION_MILLISECONDS, 100},
    {"100ms", OPTION_MILLISECONDS, 100},
    {"10s", OPTION_MILLISECONDS, 10000},
    {"1h", OPTION_MILLISECONDS, 3600000},
    {"9223372036854775", OPTION_SECONDS, INT64_C(9223372036854775)},
};

LOOP_TEST(number_is_read_with_its_suffix, COUNT(readable))
{
    int64_t value = -1;

    ck_assert_msg(
        option_number_parse(readable[_i].text, readable[_i].unit, &value), "%s",
        readable[_i].text);
    ck_assert_int_eq(value, readable[_i].value);
}

static const struct {
    const char *text;
    enum option_unit unit;
} refused[] = {
    {"", OPTION_PLAIN},
    {"-", OPTION_PLAIN},
    {"+1", OPTION_PLAIN},
    {"--1", OPTION_PLAIN},
    {" 1", OPTION_PLAIN},
    {"1 ", OPTION_PLAIN},
    {"1\n", OPTION_PLAIN},
    {"0x10", OPTION_PLAIN},
    {"1.5", OPTION_PLAIN},
    {"9223372036854775808", OPTION_PLAIN},
    {"-9223372036854775809", OPTION_PLAIN},
    {"1KiB", OPTION_PLAIN},
    {"1s", OPTION_PLAIN},
    {"KiB", OPTION_BYTES},
    {"1 KiB", OPTION_BYTES},
    {"1KiB ", OPTION_BYTES},
    {"1kib", OPTION_BYTES},
    {"1K", OPTION_BYTES},
    {"1KB", OPTION_BYTES},
    {"1B", OPTION_BYTES},
    {"1KiBMiB", OPTION_BYTES},
    {"1.5MiB", OPTION_BYTES},
    {"1s", OPTION_BYTES},
    {"8192PiB", OPTION_BYTES},
    {"-8193PiB", OPTION_BYTES},
    {"9223372036854775808KiB", OPTION_BYTES},
    {"9007199254740992KiB", OPTION_BYTES},
    {"s", OPTION_SECONDS},
    {"10 s", OPTION_SECONDS},
    {"10S", OPTION_SECONDS},
    {"10sec", OPTION_SECONDS},
    {"100ms", OPTION_SECONDS},
    {"1999ms", OPTION_SECONDS},
    {"1d", OPTION_SECONDS},
    {"1h30m", OPTION_SECONDS},
    {"10KiB", OPTION_SECONDS},
    {"9223372036854776", OPTION_SECONDS},
    {"9223372036854775807h", OPTION_MILLISECONDS},
    {"2562047788016h", OPTION_MILLISECONDS},
};

LOOP_TEST(number_refuses_all_else, COUNT(refused))
{
    int64_t value = -1;

    ck_assert_msg(
        !option_number_parse(refused[_i].text, refused[_i].unit, &value), "%s",
        refused[_i].text);
    ck_assert_int_eq(value, -1);
}

static const struct {
    int64_t value;
    enum option_unit unit;
    const char *text;
} printed[] = {
    {0, OPTION_BYTES, "0"},
    {0, OPTION_SECONDS, "0"},
    {65535, OPTION_PLAIN, "65535"},
    {1024, OPTION_PLAIN, "1024"},
    {1, OPTION_BYTES, "1"},
    {1000, OPTION_BYTES, "1000"},
    {1025, OPTION_BYTES, "1025"},
    {1536, OPTION_BYTES, "1536"},
    {65536, OPTION_BYTES, "64KiB"},
    {INT64_C(1) << 50, OPTION_BYTES, "1PiB"},
    {1, OPTION_SECONDS, "1s"},
    {75, OPTION_SECONDS, "75s"},
    {60, OPTION_SECONDS, "1m"},
    {86400, OPTION_SECONDS, "24h"},
    {100, OPTION_MILLISECONDS, "100ms"},
    {3600000, OPTION_MILLISECONDS, "1h"},
};

LOOP_TEST(number_is_printed_as_it_is_read, COUNT(printed))
{
    char text[OPTION_NUMBER_SIZE];
    int64_t value;

    ck_assert_str_eq(
        option_number_print(printed[_i].value, printed[_i].unit, text),
        printed[_i].text);
    ck_assert(option_number_parse(text, printed[_i].unit, &value));
    ck_assert_int_eq(value, printed[_i].value);
}

static const struct {
    const char *name;
    const char *nearest; /* NULL: none */
} meant[] = {
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

LOOP_TEST(nearest_name_is_the_option_that_was_meant, COUNT(meant))
{
    const struct option *found =
        options_nearest(meant[_i].name, strlen(meant[_i].name));

    if (!meant[_i].nearest)
        ck_assert_msg(!found, "%s: %s", meant[_i].name, found->name);
    else
        ck_assert_msg(found && strcmp(found->name, meant[_i].nearest) == 0,
                      "%s: %s", meant[_i].name, found ? found->name : "none");
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

/* What the log says of a variable beside others, without time. */
static const char *report(const char *variable)
{
    char text[300];
    char *environment[] = {"PATH=/bin", text, "FLIPD_IDLE_TIMEOUT=5", NULL};
    struct log log;
    const char *line;

    strcpy(text, variable);
    log_text_start(&log, LOG_INFO);
    options_report_strays(environment, &log);
    line = log_text_take(&log);
    return *line ? strchr(line, ' ') + 1 : "";
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
             "warning no option has this variable variable=%s%s%s\n",
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
                     "option variable=FLIPD_ADMIN_PORT\n");
    ck_assert_str_eq(
        report("FLIPD_ADMIN_PROT=8002"),
        "warning no option has this variable "
        "variable=FLIPD_ADMIN_PROT did_you_mean=FLIPD_ADMIN_PORT\n");
}

UNIT_TEST(stray_variable_of_any_length_is_named)
{
    char variable[200], line[200];

    memset(variable, 'A', sizeof(variable));
    memcpy(variable, "FLIPD_", 6);
    strcpy(variable + sizeof(variable) - 3, "=1");
    snprintf(line, sizeof(line),
             "warning no option has this variable variable=%.*s\n",
             OPTION_VARIABLE_SIZE - 1, variable);
    ck_assert_str_eq(report(variable), line);
}

FIXTURE(clear_environment, NULL)
