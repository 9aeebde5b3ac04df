#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "server/log/log.h"
#include "tests/edge.h"
#include "tests/server/log_text.h"
#include "tests/unit.h"

/* 2026-02-03T04:05:06.789Z */
static int64_t clock_ms = INT64_C(1770091506789);

static struct log *writer;
static int from, to; /* a pipe: who writes to it would have to wait */

static int64_t read_clock(void)
{
    return clock_ms;
}

/* A log of every level into the pipe, whose time is clock_ms. */
static void start(bool json)
{
    log_init(writer, to, LOG_DEBUG, json);
    writer->now_ms = read_clock;
}

/* What is read behind the kinds of a log crashes. */
static void set_up(void)
{
    int ends[2];

    writer = (void *)edge_new(sizeof(*writer));
    ck_assert_int_eq(pipe(ends), 0);
    from = ends[0];
    to = ends[1];
    ck_assert_int_eq(fcntl(from, F_SETFL, O_NONBLOCK), 0);
    start(false);
}

static const char *take_line(void)
{
    static char line[LOG_LINE_SIZE + 1];
    ssize_t len = read(from, line, sizeof(line) - 1);

    ck_assert_int_gt(len, 0);
    line[len] = '\0';
    ck_assert_uint_eq(strlen(line), (size_t)len);
    ck_assert_int_eq(line[len - 1], '\n');
    return line;
}

/* The line of an event in a new log. */
#define LINE(json, ...)                                                        \
    (start(json), log_event(writer, LOG_INFO, __VA_ARGS__), take_line())

UNIT_TEST(log_is_text_with_quoted_values_or_one_json_object)
{
    ck_assert_str_eq(
        LINE(false, "listening on 1.2.3.4:5", {"id", "a-1", 0},
             {"path", "/a b", 0}, {"query", "a=b", 0}, {"none", "", 0},
             {"n", NULL, -7}),
        "2026-02-03T04:05:06.789Z info listening on 1.2.3.4:5 id=a-1 "
        "path=\"/a b\" query=\"a=b\" none=\"\" n=-7\n");
    ck_assert_str_eq(
        LINE(true, "request", {"id", "a\"\\", 0}, {"us", NULL, 12}),
        "{\"time\":\"2026-02-03T04:05:06.789Z\",\"level\":\"info\","
        "\"message\":\"request\",\"id\":\"a\\\"\\\\\",\"us\":12}\n");
    /* A text of a client may be cut. */
    ck_assert_ptr_nonnull(
        strstr(LINE(false, "m", {"a", "12345", 4}, {"b", "12345", 5},
                    {"c", "a b", 1}, {"d", "", 2}),
               " a=1234 b=12345 c=\"a\" d=\"\"\n"));
}

UNIT_TEST(log_line_stays_one_line)
{
    static const char nasty[] = "x\n2026 ERROR\r\x1b[31m\x7f\xff";
    const char *line;

    for (int json = 0; json < 2; json++) {
        line = LINE(json, nasty, {"id", nasty, 0});
        for (const char *c = line; *c; c++)
            ck_assert(c[1] == '\0' || (*c >= 0x20 && *c < 0x7f));
    }
    ck_assert_ptr_nonnull(strstr(line, "x\\u000a2026 ERROR\\u000d\\u001b["));
}

/* Texts from short to twice the limit: the line keeps its limit, and its JSON
 * is closed. */
UNIT_TEST(log_line_is_cut_to_its_limit)
{
    static char text[2 * LOG_LINE_SIZE];
    const char *line;
    ptrdiff_t half;

    for (size_t len = 0; len < sizeof(text) - 1; len += 61) {
        memset(text, len % 2 ? '\n' : 'a', len);
        text[len] = '\0';
        line = LINE(true, text, {"a", text, 0}, {"b", text, 0}, {"c", NULL, 1});
        ck_assert_uint_lt(strlen(line), LOG_LINE_SIZE);
        ck_assert(strcmp(line + strlen(line) - 3, "\"}\n") == 0 ||
                  strcmp(line + strlen(line) - 3, "1}\n") == 0);
    }
    /* Half is for the message, and one byte of all for a NUL. */
    half = strstr(line, "\",\"a") - line;
    ck_assert(half <= LOG_LINE_SIZE / 2 && half > LOG_LINE_SIZE / 2 - 10);
    line = LINE(true, "m", {"a", text, 0});
    ck_assert_uint_eq(strlen(line), LOG_LINE_SIZE - 1);
}

/* A number that has lost digits would be another one. */
UNIT_TEST(log_number_is_whole_or_left_out)
{
    static char text[LOG_LINE_SIZE];
    const char *at;
    int whole = 0, left_out = 0;

    for (size_t len = LOG_LINE_SIZE - 140; len < LOG_LINE_SIZE - 20; len++) {
        memset(text, 'a', len);
        text[len] = '\0';
        at = strstr(LINE(false, "m", {"t", text, 0}, {"n", NULL, INT64_MIN}),
                    " n=");
        whole += at && strcmp(at, " n=-9223372036854775808\n") == 0;
        left_out += !at;
        ck_assert_uint_eq((size_t)(whole + left_out),
                          len - (LOG_LINE_SIZE - 140) + 1);
    }
    ck_assert_int_gt(whole, 0);
    ck_assert_int_gt(left_out, 0);
}

static int64_t system_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

UNIT_TEST(log_tells_the_time_of_the_system_and_is_verbose_from_debug_on)
{
    int64_t earliest, told;

    for (int level = LOG_ERROR; level <= LOG_DEBUG; level++) {
        log_init(writer, to, (enum log_level)level, false);
        ck_assert_uint_eq(atomic_load(&writer->verbose), level == LOG_DEBUG);
    }
    earliest = system_ms();
    told = writer->now_ms();
    ck_assert_int_le(earliest, told);
    ck_assert_int_le(told, system_ms());
}

/* A disk that is full takes a part of it at most. */
UNIT_TEST(log_line_that_is_not_written_whole_is_dropped)
{
    struct rlimit limit, little;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    little = limit;
    little.rlim_cur = 10;
    log_text_start(writer, LOG_INFO);
    setrlimit(RLIMIT_FSIZE, &little);
    log_message(writer, LOG_INFO, "more than ten bytes");
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_uint_eq(atomic_load(&writer->dropped), 1);
}

/* The lines in the pipe. */
static size_t drain(void)
{
    char text[1 << 16];
    size_t lines = 0;
    ssize_t len;

    while ((len = read(from, text, sizeof(text))) > 0)
        for (ssize_t i = 0; i < len; i++)
            lines += text[i] == '\n';
    return lines;
}

static void repeat(enum log_level level, const char *message, int count)
{
    for (int i = 0; i < count; i++)
        log_message(writer, level, message);
}

static void repeat_all(int count)
{
    static const struct log_field none[] = {{NULL, NULL, 0}};

    for (int i = 0; i < count; i++)
        log_write_all(writer, LOG_INFO, "request", none);
}

UNIT_TEST(log_writes_no_line_below_its_level_or_that_would_block)
{
    log_init(writer, to, LOG_WARNING, false);
    repeat(LOG_INFO, "no", 1);
    repeat(LOG_WARNING, "yes", 1);
    ck_assert_uint_eq(drain(), 1);
    start(false);
    /* Nobody reads the pipe: a write() that blocked would never return. */
    repeat_all(5000);
    ck_assert_uint_gt(atomic_load(&writer->dropped), 0);
    ck_assert_uint_lt(atomic_load(&writer->dropped), 5000);
}

/* The text of the pipe, at once. */
static void expect_text(const char *expected)
{
    char text[1000] = "";

    ck_assert_int_gt(read(from, text, sizeof(text) - 1), 0);
    ck_assert_str_eq(text, expected);
}

/* `_i` is the level. The second ends at 07.000. */
LOOP_TEST(log_writes_twenty_lines_of_a_kind_in_a_second, 4)
{
    repeat((enum log_level)_i, "again", 20);
    ck_assert_uint_eq(drain(), 20);
    clock_ms += 210;
    repeat((enum log_level)_i, "again", 80);
    ck_assert_uint_eq(drain(), 0);
    ck_assert_uint_eq(atomic_load(&writer->held_back), 80);
    clock_ms += 1;
    repeat((enum log_level)_i, "again", 21);
    ck_assert_uint_eq(drain(), 21); /* one tells of the 80 */
    ck_assert_uint_eq(atomic_load(&writer->held_back), 81);
}

UNIT_TEST(log_kind_that_floods_hides_no_other)
{
    repeat(LOG_DEBUG, "flood", 1000);
    ck_assert_uint_eq(drain(), 20);
    repeat(LOG_DEBUG, "other", 1);
    repeat(LOG_ERROR, "flood", 1); /* another level is another kind */
    ck_assert_uint_eq(drain(), 2);
}

/* The count comes with the next line of any kind, in a later second. */
UNIT_TEST(log_tells_how_many_lines_were_held_back)
{
    repeat(LOG_WARNING, "flood", 27);
    repeat(LOG_INFO, "other flood", 30);
    drain();
    clock_ms += 1000;
    repeat(LOG_INFO, "calm", 1);
    expect_text("2026-02-03T04:05:07.789Z warning lines were held back "
                "kind=flood count=7\n"
                "2026-02-03T04:05:07.789Z info lines were held back "
                "kind=\"other flood\" count=10\n"
                "2026-02-03T04:05:07.789Z info calm\n");
    start(false);
    repeat(LOG_WARNING, "flood", 21);
    drain();
    clock_ms += 1000;
    repeat(LOG_WARNING, "flood", 1);
    expect_text("2026-02-03T04:05:08.789Z warning lines were held back "
                "kind=flood count=1\n"
                "2026-02-03T04:05:08.789Z warning flood\n");
    clock_ms += 1000;
    repeat(LOG_WARNING, "flood", 1);
    ck_assert_uint_eq(drain(), 1);
}

UNIT_TEST(log_writes_all_lines_that_were_asked_for)
{
    repeat_all(500);
    ck_assert_uint_eq(drain(), 500);
    atomic_store(&writer->levels, 1u << LOG_ERROR);
    repeat_all(1);
    ck_assert_uint_eq(drain(), 0);
}

/* Past the table, all kinds share one limit, and nothing else breaks. */
UNIT_TEST(log_bounds_the_number_of_kinds)
{
    char message[100];

    for (int i = 0; i < 1000; i++) {
        snprintf(message, sizeof(message), "kind %d", i);
        repeat(LOG_INFO, message, 1);
    }
    ck_assert_uint_eq(drain(), LOG_LIMIT_KINDS - 1 + 20);
    memset(message, 'x', sizeof(message) - 1);
    message[sizeof(message) - 1] = '\0';
    repeat(LOG_DEBUG, message, 30);
    ck_assert_int_eq(writer->kind_count, LOG_LIMIT_KINDS);
    drain();
    repeat(LOG_INFO, "kind 38", 1); /* is not one of those */
    ck_assert_uint_eq(drain(), 1);
}

UNIT_TEST(log_compares_the_start_of_a_long_message)
{
    char message[100] = "";

    memset(message, 'x', sizeof(message) - 1);
    repeat(LOG_DEBUG, message, 15);
    message[80] = 'y';
    repeat(LOG_DEBUG, message, 15);
    message[47] = 'y';
    repeat(LOG_DEBUG, message, 1);
    ck_assert_uint_eq(drain(), 20);
    ck_assert_int_eq(writer->kind_count, 1);
    message[46] = 'y';
    repeat(LOG_DEBUG, message, 1);
    ck_assert_uint_eq(drain(), 1);
}

FIXTURE(set_up, NULL)
