/* Every option of the table: the values at its bounds, and those past them. How
 * a number is written is in test_option_number.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/config/host_limits.h"
#include "server/config/options.h"
#include "tests/server/config/environment.h"
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

UNIT_TEST(numbers_are_taken_up_to_their_bounds)
{
    static const char *const wrong[] = {"",      "x",
                                        "1x",    "0x1",
                                        "1.0",   "1e3",
                                        "1,000", "1 ",
                                        " 1",    "+1",
                                        "--1",   "99999999999999999999",
                                        "true",  "-99999999999999999999"};
    char value[40];

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
    }
}

/* What an error says of a number, by its unit. */
static const char *const units[] = {
    [OPTION_BYTES] = " bytes, or with KiB, MiB, GiB, TiB or PiB",
    [OPTION_MILLISECONDS] = " milliseconds, or with ms, s, m or h",
    [OPTION_SECONDS] = " seconds, or with ms, s, m or h",
};

UNIT_TEST(numbers_with_a_suffix_are_taken_up_to_their_bounds)
{
    char value[OPTION_NUMBER_SIZE];

    for (const struct option *o = option_table; o->name; o++) {
        if (o->kind != OPTION_NUMBER)
            continue;
        option_number_print(o->max, o->unit, value);
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

UNIT_TEST(choices_are_taken_by_name)
{
    for (const struct option *o = option_table; o->name; o++) {
        if (o->kind != OPTION_CHOICE)
            continue;
        for (int i = 0; o->choices[i]; i++) {
            ck_assert_msg(load(o, o->choices[i]), "%s", st.message);
            ck_assert_int_eq(number_of(o), i);
        }
        ck_assert(!load(o, "none-such"));
        has_text(o->choices[0]);
        ck_assert(!load(o, ""));
        has_text(o->choices[1]);
    }
}

UNIT_TEST(texts_are_kept_and_not_empty)
{
    for (const struct option *o = option_table; o->name; o++) {
        if (o->kind != OPTION_TEXT)
            continue;
        ck_assert(load(o, "a=b"));
        ck_assert_str_eq(*(const char *const *)field_of(o), "a=b");
        ck_assert(!load(o, ""));
        has_text("is empty");
    }
}

UNIT_TEST(options_want_a_value_and_actions_none)
{
    for (const struct option *o = option_table; o->name; o++) {
        if (o->kind == OPTION_FLAG)
            continue;
        ck_assert_int_eq(load(o, NULL), o->kind == OPTION_ACTION);
        if (o->kind != OPTION_ACTION) {
            has_text("needs a value");
            continue;
        }
        ck_assert_int_eq(options.action, o->min);
        ck_assert(!load(o, "true"));
        has_text("takes no value");
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
    clear_environment();
}

/* Each of these is no option. */
static const char *const strangers[] = {
    "", "-", "--", "x", "--no-such=1", "--1", "--HTTP-PORT=1", "--=1", "8000"};

LOOP_TEST(other_arguments_are_refused, COUNT(strangers))
{
    char argument[40];
    char *argv[] = {"flipd", argument, NULL};

    strcpy(argument, strangers[_i]);
    ck_assert(!options_load(&options, 2, argv, &st));
    has_text("is not an option");
    has_text("; --help lists them");
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
    static const struct {
        int64_t cores, loops;
    } cases[] = {{1, 4},   {2, 8},   {3, 12},  {4, 16},   {5, 16},
                 {16, 16}, {17, 17}, {64, 64}, {300, 256}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        host = cases[i].cores;
        ck_assert(load(find("access-log"), NULL));
        ck_assert_int_eq(options.http_thread_count, cases[i].loops);
        ck_assert_int_eq(options.worker_count, host);
    }
}

FIXTURE(clear_environment, NULL)
