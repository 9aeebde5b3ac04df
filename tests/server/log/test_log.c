#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/log/log.h"
#include "tests/suite.h"

/* 2026-02-03T04:05:06.789Z */
static const int64_t when_ms = INT64_C(1770091506789);

static const char *format(bool json, const char *message,
                          const struct log_field *fields)
{
    static char line[LOG_LINE_SIZE];
    struct log_entry entry = {when_ms, LOG_INFO, message, fields};
    size_t len = log_format(line, json, &entry);

    ck_assert_uint_eq(len, strlen(line));
    ck_assert_int_eq(line[len - 1], '\n');
    return line;
}

START_TEST(log_text_quotes_values_of_several_words)
{
    ck_assert_str_eq(
        format(false, "listening on 1.2.3.4:5",
               (const struct log_field[]){{"id", "a-1", 0},
                                          {"path", "/a b", 0},
                                          {"none", "", 0},
                                          {"n", NULL, -7},
                                          {NULL, NULL, 0}}),
        "2026-02-03T04:05:06.789Z info listening on 1.2.3.4:5 id=a-1 "
        "path=\"/a b\" none=\"\" n=-7\n");
}
END_TEST

START_TEST(log_json_is_one_object)
{
    ck_assert_str_eq(
        format(true, "request",
               (const struct log_field[]){
                   {"id", "a\"\\", 0}, {"us", NULL, 12}, {NULL, NULL, 0}}),
        "{\"time\":\"2026-02-03T04:05:06.789Z\",\"level\":\"info\","
        "\"message\":\"request\",\"id\":\"a\\\"\\\\\",\"us\":12}\n");
}
END_TEST

START_TEST(log_line_stays_one_line)
{
    static const char nasty[] = "x\n2026 ERROR\r\x1b[31m\x7f\xff";
    const char *line;

    for (int json = 0; json < 2; json++) {
        line = format(
            json, nasty,
            (const struct log_field[]){{"id", nasty, 0}, {NULL, NULL, 0}});
        for (const char *c = line; *c; c++)
            ck_assert(c[1] == '\0' || (*c >= 0x20 && *c < 0x7f));
    }
    ck_assert_ptr_nonnull(strstr(line, "x\\u000a2026 ERROR\\u000d\\u001b["));
}
END_TEST

/* Texts from short to twice the limit: the line keeps its limit, and its JSON
 * is closed. */
START_TEST(log_line_is_cut_to_its_limit)
{
    static char text[2 * LOG_LINE_SIZE];
    const char *line;

    for (size_t len = 0; len < sizeof(text) - 1; len += 61) {
        memset(text, len % 2 ? '\n' : 'a', len);
        text[len] = '\0';
        line = format(true, text,
                      (const struct log_field[]){{"a", text, 0},
                                                 {"b", text, 0},
                                                 {"c", NULL, 1},
                                                 {NULL, NULL, 0}});
        ck_assert_uint_lt(strlen(line), LOG_LINE_SIZE);
        ck_assert(strcmp(line + strlen(line) - 3, "\"}\n") == 0 ||
                  strcmp(line + strlen(line) - 3, "1}\n") == 0);
    }
}
END_TEST

static size_t drain_pipe(int fd)
{
    char text[1 << 16];
    size_t lines = 0;
    ssize_t len;

    while ((len = read(fd, text, sizeof(text))) > 0)
        for (ssize_t i = 0; i < len; i++)
            lines += text[i] == '\n';
    return lines;
}

START_TEST(log_writes_no_line_below_its_level)
{
    struct log log;
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
    log_init(&log, ends[1], LOG_WARNING, false);
    log_message(&log, LOG_INFO, "no");
    log_message(&log, LOG_WARNING, "yes");
    ck_assert_uint_eq(drain_pipe(ends[0]), 1);
    log_free(&log);
}
END_TEST

/* Nobody reads the pipe: a write() that blocked would never return. */
START_TEST(log_drops_and_counts_lines_that_would_block)
{
    struct log log;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    log_init(&log, ends[1], LOG_INFO, false);
    for (int i = 0; i < 5000; i++)
        log_message(&log, LOG_INFO, "a line that nobody reads");
    ck_assert_uint_gt(atomic_load(&log.dropped), 0);
    ck_assert_uint_lt(atomic_load(&log.dropped), 5000);
    log_free(&log);
}
END_TEST

/* Waits for the next second of the clock, and returns it. */
static time_t next_second(void)
{
    time_t from = time(NULL), now;

    while ((now = time(NULL)) == from)
        usleep(1000);
    return now;
}

START_TEST(log_limits_warnings_to_twenty_a_second)
{
    struct log log;
    int ends[2];
    time_t second;
    size_t lines;

    ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
    do {
        log_init(&log, ends[1], LOG_INFO, false);
        second = next_second();
        for (int i = 0; i < 100; i++)
            log_message(&log, LOG_WARNING, "again");
        lines = drain_pipe(ends[0]);
        log_free(&log);
    } while (time(NULL) != second); /* a busy machine: try again */
    ck_assert_uint_eq(lines, 20);
}
END_TEST

SUITE("log", TEST(log_text_quotes_values_of_several_words),
      TEST(log_json_is_one_object), TEST(log_line_stays_one_line),
      TEST(log_line_is_cut_to_its_limit),
      TEST(log_writes_no_line_below_its_level),
      TEST(log_drops_and_counts_lines_that_would_block),
      TEST(log_limits_warnings_to_twenty_a_second))
