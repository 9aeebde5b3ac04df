/* The headers of a request, which engine_each_header() of this file hands
 * over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/message/headers.h"
#include "tests/heap_watch.h"
#include "tests/unit.h"

enum { MOST = 4 };

struct header {
    const char *name, *value;
};

static const struct header *given; /* MOST, or fewer and one without a name */
static struct headers headers;

void engine_each_header(struct engine_connection *connection,
                        engine_header *each, void *context)
{
    for (int i = 0; i < MOST && given[i].name; i++)
        each(context, given[i].name, strlen(given[i].name), given[i].value);
}

const char *engine_find_header(void *connection, const char *name)
{
    for (int i = 0; i < MOST && given[i].name; i++)
        if (strcasecmp(given[i].name, name) == 0)
            return given[i].value;
    return NULL;
}

static void read_headers(const struct header *list)
{
    given = list;
    headers_read(&headers, NULL);
}

#define READ(...) read_headers((const struct header[MOST]){__VA_ARGS__})

static struct status st;
static const char *const fault = st.message;

static int audit(void)
{
    st.message[0] = '\0';
    return headers_audit(&headers, &st);
}

UNIT_TEST(headers_are_absent_without_any_and_the_site_without_an_origin)
{
    READ({NULL, NULL});
    ck_assert(!headers.chunked && !headers.twice);
    ck_assert(!headers_have_body(&headers));
    ck_assert(!headers.accept && !headers.request_id && !headers.expect);
    ck_assert_int_eq(audit(), 0);
    READ({"host", "a"}, {"Sec-Fetch-Site", "same-origin"}, {NULL, NULL});
    ck_assert(!headers.fetch_site);
    READ({"host", "a"}, {"sec-fetch-site", "same-origin"},
         {"Origin", "http://a"}, {NULL, NULL});
    ck_assert_str_eq(headers.host, "a");
    ck_assert_str_eq(headers.fetch_site, "same-origin");
}

/* Each header that is kept, and where. */
static const struct {
    const char *name;
    size_t offset;
    bool may_be_twice;
    int twice; /* the status */
} kept[] = {
    {"Accept", offsetof(struct headers, accept), true, 0},
    {"Accept-Encoding", offsetof(struct headers, accept_encoding), true, 0},
    {"Access-Control-Request-Headers", offsetof(struct headers, cors_headers),
     false, 400},
    {"Access-Control-Request-Method", offsetof(struct headers, cors_method),
     false, 400},
    {"Content-Encoding", offsetof(struct headers, content_encoding), true, 415},
    {"Content-Type", offsetof(struct headers, content_type), false, 400},
    {"Expect", offsetof(struct headers, expect), false, 400},
    {"Host", offsetof(struct headers, host), false, 400},
    {"Inference-Header-Content-Length",
     offsetof(struct headers, inference_header), false, 400},
    {"Origin", offsetof(struct headers, origin), false, 400},
    {"User-Agent", offsetof(struct headers, user_agent), true, 0},
    {"X-Request-Id", offsetof(struct headers, request_id), false, 400},
};

static const char *text_at(size_t offset)
{
    return *(const char **)(void *)((char *)&headers + offset);
}

LOOP_TEST(headers_are_kept_by_name_in_any_case, COUNT(kept))
{
    char lower[40] = "";

    for (size_t i = 0; kept[_i].name[i]; i++)
        lower[i] = (char)(kept[_i].name[i] | 0x20);
    for (int i = 0; i < 2; i++) {
        READ({"X-Other", "no"}, {i ? lower : kept[_i].name, "value"});
        for (size_t k = 0; k < COUNT(kept); k++)
            ck_assert_pstr_eq(text_at(kept[k].offset),
                              k == (size_t)_i ? "value" : NULL);
    }
}

#define NO_CODING(value)                                                       \
    "the header Content-Encoding is '" value "', but it must be gzip, "        \
    "deflate or identity"

LOOP_TEST(headers_that_may_be_given_once_are_refused_twice, COUNT(kept))
{
    const char *value =
        strcmp(kept[_i].name, "Expect") ? "gzip" : "100-continue";
    char text[80] = "";

    READ({kept[_i].name, value});
    ck_assert_int_eq(audit(), 0);
    READ({kept[_i].name, value}, {kept[_i].name, value});
    ck_assert_pstr_eq(headers.twice,
                      kept[_i].may_be_twice ? NULL : kept[_i].name);
    ck_assert_int_eq(audit(), kept[_i].twice);
    if (kept[_i].twice == 400)
        snprintf(text, sizeof(text), "the header %s was given twice",
                 kept[_i].name);
    ck_assert_str_eq(fault,
                     kept[_i].twice == 415 ? NO_CODING("(several)") : text);
}

UNIT_TEST(headers_say_whether_a_body_follows)
{
    READ({"content-length", "12345678901"});
    ck_assert(headers_have_body(&headers));
    ck_assert_uint_eq(headers.content_length, 12345678901u);
    READ({"Content-Length", "0"});
    ck_assert(!headers_have_body(&headers));
    READ({"Transfer-Encoding", "chunked"});
    ck_assert(headers.chunked && headers_have_body(&headers));
    ck_assert_uint_eq(headers.content_length, 0);
    READ({"Content-", "7"}, {"Content-Lengths", "7"}, {"", "7"}, {"Tra", ""});
    ck_assert(!headers_have_body(&headers));
}

UNIT_TEST(headers_keep_an_id_of_up_to_128_characters)
{
    char longest[130];

    memset(longest, '~', sizeof(longest));
    longest[128] = '\0';
    READ({"X-Request-Id", longest});
    ck_assert_ptr_eq(headers.request_id, longest);
    longest[128] = '!';
    longest[129] = '\0';
    READ({"X-Request-Id", longest});
    ck_assert_ptr_null(headers.request_id);
}

static const struct {
    const char *name;
    size_t offset;
    int status; /* of a bad one */
    const char *good[8], *bad[12];
} texts[] = {
    {"X-Request-Id",
     offsetof(struct headers, request_id),
     0,
     {"!~", "~"},
     {"", "a b", " a", "a\t", "\x7f", "\x1f", "\xc3\xa9"}},
    {"Access-Control-Request-Headers",
     offsetof(struct headers, cors_headers),
     0,
     {"content-type,x-request-id", "Content-Type , X-A\t,,", ""},
     {"a\x01", "a\x7f", "a\xc3\xa9", "a: b", "a;b", "\"a\"", "a/b"}},
    {"Host",
     offsetof(struct headers, host),
     400,
     {"", "a.example:8000", "127.0.0.1", "[::1]:8000", "my_host", "a%20b",
      "localhost:"},
     {"a b", "a/b", "a@b", "a?", "a#", "a\\b", "<a>", "a\"", "a\x01",
      "a\xc3\xa9", "a\tb"}},
};

LOOP_TEST(headers_are_kept_if_they_can_be, COUNT(texts))
{
    char text[120];

    for (const char *const *good = texts[_i].good; *good; good++) {
        READ({texts[_i].name, *good});
        ck_assert_pstr_eq(text_at(texts[_i].offset), *good);
        ck_assert_int_eq(audit(), 0);
    }
    for (const char *const *bad = texts[_i].bad; *bad; bad++) {
        READ({texts[_i].name, *bad});
        ck_assert_int_eq(audit(), texts[_i].status);
        if (texts[_i].status == 400) {
            snprintf(text, sizeof(text),
                     "the header Host is '%s', but it must be a host, and "
                     "perhaps a port",
                     *bad);
            ck_assert_str_eq(fault, text);
        } else {
            ck_assert_ptr_null(text_at(texts[_i].offset));
        }
    }
}

#define TRACE "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

UNIT_TEST(headers_of_two_traceparents_have_no_valid_one)
{
    READ({"TraceParent", TRACE});
    ck_assert_str_eq(headers.traceparent, TRACE);
    READ({"traceparent", TRACE}, {"traceparent", TRACE});
    ck_assert(!trace_context_is_valid(headers.traceparent));
    ck_assert_int_eq(audit(), 0);
}

#define ONLY_100(value)                                                        \
    "the header Expect is '" value "', but it must be 100-continue"
#define FORTY "0123456789012345678901234567890123456789"

/* The first fault is named. */
static const struct {
    int status;
    const char *text;
    struct header headers[MOST];
} audits[] = {
    {0, "", {{"Expect", "100-Continue"}, {"Content-Encoding", "identity"}}},
    {417, ONLY_100("100-continue, x"), {{"Expect", "100-continue, x"}}},
    {417, ONLY_100(""), {{"Expect", ""}}},
    {417, ONLY_100(FORTY), {{"Expect", FORTY "x"}}},
    {415, NO_CODING("br"), {{"Content-Encoding", "br"}}},
    {415,
     NO_CODING("(several)"),
     {{"Content-Encoding", "gzip"}, {"Content-Encoding", "gzip"}}},
    {417, ONLY_100("x"), {{"Expect", "x"}, {"Content-Encoding", "br"}}},
    {400,
     "the header Origin was given twice",
     {{"Origin", "a"}, {"Origin", "a"}, {"Expect", "x"}}},
};

LOOP_TEST(headers_audit_names_the_first_fault, COUNT(audits))
{

    read_headers(audits[_i].headers);
    ck_assert_int_eq(audit(), audits[_i].status);
    ck_assert_str_eq(fault, audits[_i].text);
}

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
    {"http:///v2", "/v2"},
    {"http://", "/"},
    {"*", "*"},
    {"/odd://x/y", "/odd://x/y"},
};

LOOP_TEST(request_line_reads_the_path, COUNT(urls))
{
    struct request_line line = {.method = NULL};

    request_line_read(&line, "GET", urls[_i].url);
    ck_assert_str_eq(line.method, "GET");
    ck_assert_str_eq(line.path, urls[_i].path);
    request_line_clear(&line);
    ck_assert_ptr_null(line.method);
}

static const struct {
    const char *uri;
    const char *query; /* NULL: none */
} queries[] = {
    {"/v2", NULL},
    {"/v2?", ""},
    {"/v2?a=b&c", "a=b&c"},
    {"/v2?a?b", "a?b"},
};

LOOP_TEST(request_line_keeps_the_query, COUNT(queries))
{
    struct request_line line = {.method = NULL};
    struct heap_watch watch = {.times = 20, .room = 1};

    while (heap_goes_on(&watch)) {
        request_line_clear(&line);
        request_line_open(&line, queries[_i].uri);
    }
    ck_assert_pstr_eq(line.query, queries[_i].query);
    ck_assert_uint_eq(line.query_size, line.query ? strlen(line.query) + 1 : 0);
    ck_assert(!line.query_lost);
    request_line_clear(&line);
    ck_assert_ptr_null(line.query);
    ck_assert_uint_eq(line.query_size, 0);
}

static bool has_no_memory;

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = has_no_memory ? NULL : malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

UNIT_TEST(request_line_says_that_its_query_is_lost)
{
    struct request_line line = {.method = NULL};

    has_no_memory = true;
    request_line_open(&line, "/v2?a=b");
    ck_assert(line.query_lost);
    ck_assert_ptr_null(line.query);
    ck_assert_uint_eq(line.query_size, 0);
    request_line_clear(&line);
    ck_assert(!line.query_lost);
}

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"
#define ZEROS "0000000000000000"

static const struct {
    const char *text;
    bool valid;
} traces[] = {
    {"00-" ID "-" PARENT "-01", true},
    {"00-" ID "-" PARENT "-00", true},
    {"00-" ID "-" PARENT "-ff", true},
    /* other lengths */
    {"", false},
    {"00", false},
    {"00-" ID "-" PARENT, false},
    {"00-" ID "-" PARENT "-", false},
    {"00-" ID "-" PARENT "-0", false},
    {"00-" ID "-" PARENT "-012", false},
    {"00-" ID "0-" PARENT "-01", false},
    {"00-" ID "-" PARENT "0-1", false},
    /* other characters */
    {"00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01", false},
    {"00-4bf92f3577b34da6a3ce929d0e0e473g-" PARENT "-01", false},
    {"00-" ID "-00F067AA0BA902B7-01", false},
    {"00-" ID "-" PARENT "-0A", false},
    {"00-" ID "-" PARENT "-0x", false},
    {"00_" ID "-" PARENT "-01", false},
    {"00-" ID "." PARENT "-01", false},
    {"00-" ID "-" PARENT ".01", false},
    {"0x-" ID "-" PARENT "-01", false},
    {"00-4bf92f3577b34da6-3ce929d0e0e47360-" PARENT "-01", false},
    /* ids of zeros */
    {"00-" ZEROS ZEROS "-" PARENT "-01", false},
    {"00-" ID "-" ZEROS "-01", false},
    {"00-" ZEROS "0000000000000001-0000000000000001-01", true},
    /* other versions; only those that are not known may go on */
    {"ff-" ID "-" PARENT "-01", false},
    {"cc-" ID "-" PARENT "-01", true},
    {"cc-" ID "-" PARENT "-01-what-follows", true},
    {"cc-" ID "-" PARENT "-01-", true},
    {"cc-" ID "-" PARENT "-01.what-follows", false},
    {"00-" ID "-" PARENT "-01-what-follows", false},
    {"00-" ID "-" PARENT "-01-", false},
    {"000-" ID "-" PARENT "-01", false},
};

LOOP_TEST(trace_context_follows_the_rules_of_level_1, COUNT(traces))
{
    ck_assert_msg(trace_context_is_valid(traces[_i].text) == traces[_i].valid,
                  "%s", traces[_i].text);
}

/* A valid text stands behind its end. */
UNIT_TEST(trace_context_ends_where_its_text_ends)
{
    for (size_t len = 0; len < sizeof(TRACE) - 1; len++) {
        char text[] = TRACE;

        text[len] = '\0';
        ck_assert_msg(!trace_context_is_valid(text), "%zu", len);
    }
}
