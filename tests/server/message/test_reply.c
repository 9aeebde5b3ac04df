#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/message/reply.h"
#include "tests/heap_watch.h"
#include "tests/unit.h"

/* The headers of a reply, each followed by '\n'. */
static char text[1024];
static int space = 100; /* headers that fit */

static bool add(void *context, const char *name, const char *value)
{
    size_t len = strlen(text);

    if (space-- == 0)
        return false;
    snprintf(text + len, sizeof(text) - len, "%s: %s\n", name, value);
    return true;
}

static bool add_all(const struct api_reply *reply,
                    const struct reply_headers *headers)
{
    text[0] = '\0';
    return reply_add_headers(reply, headers, add, NULL);
}

#define EXPOSED                                                                \
    "Access-Control-Expose-Headers: Inference-Header-Content-Length, "         \
    "X-Request-Id, Retry-After, Server-Timing\n"

static const struct {
    struct api_reply reply;
    struct reply_headers headers;
    const char *text;
} heads[] = {
    {{.status = 200}, {.close = false}, ""},
    {{.status = 200, .content_type = "application/json"},
     {.request_id = "id7", .close = true},
     "Content-Type: application/json\nX-Request-Id: id7\n"
     "Connection: close\n"},
    {{.status = 200, .json_len = 1},
     {.close = false},
     "Inference-Header-Content-Length: 1\n"},
    {{.status = 200, .json_len = SIZE_MAX},
     {.close = false},
     "Inference-Header-Content-Length: 18446744073709551615\n"},
    {{.status = 200, .json_len = 12340},
     {.encoding = "gzip", .varies = "Accept, Accept-Encoding"},
     "Inference-Header-Content-Length: 12340\nContent-Encoding: gzip\n"
     "Vary: Accept, Accept-Encoding\n"},
    {{.status = 200},
     {.timing = "queue;dur=0.001"},
     "Server-Timing: queue;dur=0.001\n"},
    {{.status = 401}, {.close = false}, "WWW-Authenticate: Bearer\n"},
    {{.status = 405, .allow = "GET"}, {.close = false}, "Allow: GET\n"},
    {{.status = 415}, {.close = false}, "Accept-Encoding: gzip, deflate\n"},
    {{.status = 503}, {.close = false}, "Retry-After: 1\n"},
    {{.status = 200, .policy = "default-src 'none'"},
     {.close = false},
     "Content-Security-Policy: default-src 'none'\n"
     "X-Content-Type-Options: nosniff\n"},
    {{.status = 404},
     {.origin = "*"},
     "Access-Control-Allow-Origin: *\n" EXPOSED},
    {{.status = 200},
     {.origin = "http://a", .timing = "queue;dur=0.001"},
     "Server-Timing: queue;dur=0.001\n"
     "Access-Control-Allow-Origin: http://a\n" EXPOSED
     "Timing-Allow-Origin: http://a\n"},
    {{.status = 204, .allow = "GET, POST"},
     {.origin = "http://a", .requested = "content-type"},
     "Allow: GET, POST\n"
     "Access-Control-Allow-Origin: http://a\n" EXPOSED
     "Access-Control-Allow-Methods: GET, POST\n"
     "Access-Control-Max-Age: 86400\n"
     "Access-Control-Allow-Headers: content-type\n"},
    {{.status = 204, .allow = "POST"},
     {.origin = "*"},
     "Allow: POST\n"
     "Access-Control-Allow-Origin: *\n" EXPOSED
     "Access-Control-Allow-Methods: POST\n"
     "Access-Control-Max-Age: 86400\n"},
};

/* Without its NUL, a number would go on with what the stack has. */
static void __attribute__((noinline)) fill_stack(void)
{
    volatile char bytes[4096];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = '7';
}

LOOP_TEST(reply_has_the_headers_of_its_status, COUNT(heads))
{
    fill_stack();
    ck_assert(add_all(&heads[_i].reply, &heads[_i].headers));
    ck_assert_str_eq(text, heads[_i].text);
}

UNIT_TEST(reply_stops_at_a_header_that_does_not_fit)
{
    space = 1;
    ck_assert(!add_all(&heads[1].reply, &heads[1].headers));
    ck_assert_str_eq(text, "Content-Type: application/json\n");
}

/* The engine of this file: the bytes that it was given, and what it refuses. */
static char sent[4096];
static size_t sent_len, queued_len, freed;
static bool has_no_response, refuses;

struct MHD_Response *response_new(const struct iovec *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(sent + sent_len, pieces[i].iov_base, pieces[i].iov_len);
        sent_len += pieces[i].iov_len;
    }
    return has_no_response ? NULL : (struct MHD_Response *)(void *)sent;
}

bool response_add(void *response, const char *name, const char *value)
{
    ck_assert_ptr_eq(response, sent);
    return add(NULL, name, value);
}

bool response_queue(struct MHD_Response *response, size_t len,
                    struct engine_connection *connection, int status)
{
    ck_assert_ptr_eq(response, sent);
    ck_assert_ptr_eq(connection, &refuses);
    ck_assert_int_eq(status, 404);
    queued_len = len;
    return !refuses;
}

void response_free(struct MHD_Response *response)
{
    ck_assert_ptr_eq(response, has_no_response ? NULL : sent);
    freed++;
}

const char *response_phrase(int status)
{
    return status == 404 ? "Not Found" : "No Content";
}

void engine_send_early(struct engine_connection *connection, const char *data,
                       size_t len)
{
    ck_assert_ptr_eq(connection, &refuses);
    ck_assert_uint_lt(len, sizeof(sent));
    memcpy(sent, data, len);
    sent[len] = '\0';
    sent_len = len;
}

/* RFC 9110, 5.6.7 */
time_t time(time_t *now)
{
    if (now)
        *now = 784111777;
    return 784111777;
}

static struct engine_connection *const connection = (void *)&refuses;
static const struct api_reply in_pieces = {
    .status = 404,
    .content_type = "text/plain",
    .piece_count = 3,
    .pieces = {{"ab", 2}, {"", 0}, {"cde", 3}, {"no piece", 8}},
};
static const struct reply_headers last = {.close = true};

UNIT_TEST(reply_is_handed_to_the_engine_which_may_refuse_it)
{
    ck_assert(reply_send(&in_pieces, &last, connection));
    ck_assert_str_eq(text, "Content-Type: text/plain\nConnection: close\n");
    ck_assert_str_eq(sent, "abcde");
    ck_assert_uint_eq(queued_len, 5);
    ck_assert_uint_eq(freed, 1);
    space = 1;
    ck_assert(!reply_send(&in_pieces, &last, connection));
    refuses = true;
    space = 100;
    ck_assert(!reply_send(&in_pieces, &last, connection));
    has_no_response = true;
    ck_assert(!reply_send(&in_pieces, &last, connection));
    ck_assert_uint_eq(freed, 4);
}

#define DATE "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
#define NOT_FOUND                                                              \
    "HTTP/1.1 404 Not Found\r\n" DATE "Content-Type: text/plain\r\n"           \
    "Connection: close\r\nContent-Length: 5\r\n\r\n"

UNIT_TEST(reply_sent_early_is_a_whole_message)
{
    static const struct api_reply no_content = {.status = 204};
    struct heap_watch watch = {.times = 20, .room = 1};

    while (heap_goes_on(&watch))
        reply_send_early(&in_pieces, &last, false, connection);
    ck_assert_str_eq(sent, NOT_FOUND "abcde");
    reply_send_early(&in_pieces, &last, true, connection);
    ck_assert_str_eq(sent, NOT_FOUND);
    reply_send_early(&no_content, &last, false, connection);
    ck_assert_str_eq(sent, "HTTP/1.1 204 No Content\r\n" DATE
                           "Connection: close\r\n\r\n");
}

static const size_t lengths[] = {2048, 5000, 100000};

LOOP_TEST(reply_that_is_too_long_is_not_sent_early, COUNT(lengths))
{
    static char body[100000];
    struct api_reply reply = in_pieces;

    sent_len = 1;
    reply.pieces[1] = (struct api_piece){body, lengths[_i]};
    reply_send_early(&reply, &last, false, connection);
    ck_assert_uint_eq(sent_len, 0);
}
