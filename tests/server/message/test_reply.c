#include <stdio.h>
#include <string.h>

#include "server/message/origin.h"
#include "server/message/reply.h"
#include "tests/unit.h"

/* The headers of a reply, each followed by '\n'. */
static char text[1024];
static int space; /* headers that fit */

static bool add(void *context, const char *name, const char *value)
{
    size_t len = strlen(text);

    (void)context;
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

static void set_up(void)
{
    space = 100;
}

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
    {{.status = 200, .json_len = 12345},
     {.encoding = "gzip", .varies = "Accept, Accept-Encoding"},
     "Inference-Header-Content-Length: 12345\nContent-Encoding: gzip\n"
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
     "Access-Control-Allow-Origin: *\n"
     "Access-Control-Expose-Headers: Inference-Header-Content-Length, "
     "X-Request-Id, Retry-After, Server-Timing\n"},
    {{.status = 200},
     {.origin = "http://a", .timing = "queue;dur=0.001"},
     "Server-Timing: queue;dur=0.001\n"
     "Access-Control-Allow-Origin: http://a\n"
     "Access-Control-Expose-Headers: Inference-Header-Content-Length, "
     "X-Request-Id, Retry-After, Server-Timing\n"
     "Timing-Allow-Origin: http://a\n"},
    {{.status = 204, .allow = "POST"},
     {.origin = "*"},
     "Allow: POST\n"
     "Access-Control-Allow-Origin: *\n"
     "Access-Control-Expose-Headers: Inference-Header-Content-Length, "
     "X-Request-Id, Retry-After, Server-Timing\n"
     "Access-Control-Allow-Methods: POST\n"
     "Access-Control-Max-Age: 86400\n"},
};

LOOP_TEST(reply_has_the_headers_of_its_status, COUNT(heads))
{
    ck_assert(add_all(&heads[_i].reply, &heads[_i].headers));
    ck_assert_str_eq(text, heads[_i].text);
}

UNIT_TEST(reply_stops_at_a_header_that_does_not_fit)
{
    space = 1;
    ck_assert(!add_all(&heads[1].reply, &heads[1].headers));
    ck_assert_str_eq(text, "Content-Type: application/json\n");
}

UNIT_TEST(reply_to_a_preflight_lists_methods_and_headers)
{
    struct api_reply reply = {.status = 405, .allow = "GET, POST"};
    struct headers request = {.origin = "http://a",
                              .cors_method = "POST",
                              .cors_headers = "content-type"};
    struct reply_headers headers = {
        .origin = origin_allowed("http://b, http://a", &request),
        .requested = request.cors_headers,
    };

    origin_preflight("http://b, http://a", &request, &reply);
    ck_assert_int_eq(reply.status, 204);
    ck_assert(add_all(&reply, &headers));
    ck_assert_str_eq(text, "Allow: GET, POST\n"
                           "Access-Control-Allow-Origin: http://a\n"
                           "Access-Control-Expose-Headers: "
                           "Inference-Header-Content-Length, X-Request-Id, "
                           "Retry-After, Server-Timing\n"
                           "Access-Control-Allow-Methods: GET, POST\n"
                           "Access-Control-Max-Age: 86400\n"
                           "Access-Control-Allow-Headers: content-type\n");
}

FIXTURE(set_up, NULL)
