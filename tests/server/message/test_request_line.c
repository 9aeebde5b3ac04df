#include <check.h>

#include "server/message/headers.h"
#include "tests/count.h"
#include "tests/heap_in_use.h"
#include "tests/suite.h"

static const struct {
    const char *url;
    const char *path;
} urls[] = {
    {"/", "/"},
    {"/v2/models", "/v2/models"},
    {"/a%2Fb", "/a%2Fb"},
    {"http://host/v2", "/v2"},
    {"http://host:8000/v2/health/live", "/v2/health/live"},
    {"http://host", "/"},
    {"*", "*"},
    {"/odd://x/y", "/odd://x/y"},
};

START_TEST(request_line_reads_the_path)
{
    struct request_line line = {.method = NULL};

    request_line_read(&line, "GET", urls[_i].url);
    ck_assert_str_eq(line.method, "GET");
    ck_assert_str_eq(line.path, urls[_i].path);
    request_line_clear(&line);
    ck_assert_ptr_null(line.method);
}
END_TEST

static const struct {
    const char *uri;
    const char *query; /* NULL: none */
} queries[] = {
    {"/v2", NULL},
    {"/v2?", ""},
    {"/v2?a=b&c", "a=b&c"},
    {"/v2?a?b", "a?b"},
};

START_TEST(request_line_keeps_the_query)
{
    struct request_line line = {.method = NULL};

    request_line_open(&line, queries[_i].uri);
    if (queries[_i].query)
        ck_assert_str_eq(line.query, queries[_i].query);
    else
        ck_assert_ptr_null(line.query);
    ck_assert_uint_eq(line.query_size, line.query ? strlen(line.query) + 1 : 0);
    ck_assert(!line.query_lost);
    request_line_clear(&line);
    ck_assert_ptr_null(line.query);
    ck_assert_uint_eq(line.query_size, 0);
}
END_TEST

START_TEST(request_line_frees_its_query)
{
    size_t before = 0;

    for (int i = 0; i < 20; i++) {
        struct request_line line = {.method = NULL};

        request_line_open(&line, "/v2?a=b");
        request_line_clear(&line);
        if (i == 9)
            before = heap_in_use();
    }
    ck_assert_uint_le(heap_in_use(), before);
}
END_TEST

SUITE("request_line", TEST(request_line_frees_its_query),
      LOOP(request_line_reads_the_path, COUNT(urls)),
      LOOP(request_line_keeps_the_query, COUNT(queries)))
