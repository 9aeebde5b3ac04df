/* Which request is let in, and the headers of its reply. */
#include <string.h>

#include "tests/server/http/http_case.h"
#include "tests/unit.h"

#define PAGE "Origin: http://page.example\r\n"
#define SITE "Sec-Fetch-Site: cross-site\r\n"
#define TEXT "Content-Type: text/plain\r\n"
#define GZIP "Accept-Encoding: gzip\r\n"
#define INDEX "POST /v2/repository/index HTTP/1.1\r\n"
#define ALLOWED "\r\nAccess-Control-Allow-Origin: http://page.example\r\n"
#define TWO "http://page.example,http://other.example"
/* As browsers do, whether or not it is worth while. */
#define SEVERAL "Accept-Encoding: gzip, deflate, br\r\n"
#define CODED "\r\nVary: Accept-Encoding\r\n|\r\nContent-Encoding: gzip\r\n"
#define PLAIN "!\r\nVary: Accept-Encoding\r\n|!\r\nContent-Encoding: gzip\r\n"
#define EMPTY "Content-Length: 0\r\n" HEAD

static const struct {
    enum world_kind kind;
    const char *cors; /* --cors-allow-origin */
    const char *request;
    const char *parts; /* as http_case_gets() takes them */
} replies[] = {
    /* The port. */
    {WORLD_ADMIN, NULL, CASE_INFER,
     " 404 |this is the admin port|!Access-Control"},
    {WORLD_ADMIN, NULL, CASE_POST "Content-Length: 99999999\r\n\r\n",
     " 404 |this is the admin port"}, /* its body is not asked for */
    {WORLD_ADMIN, NULL, "GET /nothing HTTP/1.1\r\n" HEAD,
     " 404 |this is the admin port"},
    {WORLD_ADMIN, NULL, "GET /v2/health/live HTTP/1.1\r\n" HEAD, " 200 "},
    /* The key. */
    {WORLD_GUARDED, NULL, CASE_METADATA, " 403 |X-Key"},
    {WORLD_GUARDED, NULL, CASE_INFER, " 401 |WWW-Authenticate"},
    {WORLD_GUARDED, NULL, "GET /v2 HTTP/1.1\r\nX-Key: k\r\n" HEAD, " 200 "},
    /* The page. */
    {WORLD_OPEN, NULL, INDEX PAGE SITE TEXT EMPTY, " 403 |!" ALLOWED},
    {WORLD_OPEN, TWO, INDEX PAGE SITE TEXT EMPTY, " 200 |" ALLOWED},
    {WORLD_OPEN, TWO, "GET /v2 HTTP/1.1\r\n" PAGE HEAD,
     " 200 |" ALLOWED "|\r\nVary: Origin\r\n|!\r\nServer-Timing: "},
    {WORLD_OPEN, TWO, "GET /v2 HTTP/1.1\r\n" HEAD,
     " 200 |\r\nVary: Origin\r\n|!Allow-Origin"},
    {WORLD_OPEN, TWO, "GET /v2 HTTP/1.1\r\n" GZIP HEAD,
     " 200 |\r\nVary: Accept-Encoding, Origin\r\n"},
    {WORLD_OPEN, TWO, "GET /nothing HTTP/1.1\r\n" GZIP HEAD,
     " 404 |\r\nVary: Origin\r\n"},
    {WORLD_OPEN, TWO,
     "OPTIONS /v2 HTTP/1.1\r\n" PAGE "Access-Control-Request-Method: GET\r\n"
     "Access-Control-Request-Headers: x-key\r\n" HEAD,
     " 204 |" ALLOWED "|Access-Control-Allow-Methods: GET, "
     "HEAD|Access-Control-Allow-Headers: x-key\r\n"},
    {WORLD_OPEN, NULL,
     "OPTIONS /v2 HTTP/1.1\r\n" PAGE
     "Access-Control-Request-Method: GET\r\n" HEAD,
     " 405 |\r\nAllow: GET, HEAD|!Access-Control"},
    /* Refused before the body, and before the end of the headers. */
    {WORLD_OPEN, TWO,
     CASE_POST PAGE "X-Request-Id: 7\r\nContent-Length: 1048577\r\n\r\n",
     " 413 |" ALLOWED "|\r\nX-Request-Id: 7\r\n"},
    {WORLD_OPEN, "http://page.example",
     "GET /v2 HTTP/1.1\r\nX-Request-Id: 7\r\nno header\r\n\r\n",
     " 400 |" ALLOWED "|\r\nX-Request-Id: 7\r\n"},
    /* The headers. */
    {WORLD_OPEN, NULL,
     CASE_POST
     "Content-Length: 142\r\nAccept-Encoding: gzip, deflate\r\n\r\n" DOCUMENT,
     " 200 |!\r\nContent-Encoding: "},
    {WORLD_NARROW, NULL, "GET /v2 HTTP/1.1\r\n" GZIP HEAD,
     " 200 |!\r\nContent-Encoding: "},
    {WORLD_OPEN, NULL, CASE_INFER, " 200 |\r\nServer-Timing: queue;dur=|!Vary"},
    {WORLD_OPEN, NULL, "GET /v2 HTTP/1.1\r\nHost: f\r\n" HEAD, " 400 "},
    {WORLD_OPEN, NULL, "GET /v2 HTTP/1.1\r\n" GZIP HEAD, CODED},
    {WORLD_OPEN, NULL, "GET /metrics HTTP/1.1\r\n" GZIP HEAD, CODED},
    {WORLD_OPEN, NULL, "GET /metrics HTTP/1.1\r\n" HEAD, PLAIN},
    {WORLD_OPEN, NULL, "GET /metrics HTTP/1.1\r\n" SEVERAL HEAD, CODED},
    {WORLD_OPEN, NULL, "GET /nothing HTTP/1.1\r\n" GZIP HEAD, PLAIN},
    {WORLD_OPEN, NULL,
     INDEX "Content-Encoding: gzip\r\nContent-Length: 2\r\n" HEAD "{}",
     " 400 |gzip"},
    {WORLD_OPEN, NULL,
     CASE_POST "Content-Type: application/x-npy\r\nContent-Length: 2\r\n\r\n{}",
     " 400 |.npy"},
    {WORLD_OPEN, NULL,
     CASE_POST "Inference-Header-Content-Length: 200\r\n"
               "Content-Length: 142\r\n\r\n" DOCUMENT,
     " 400 |Inference-Header-Content-Length"},
    {WORLD_GUARDED, NULL,
     "POST /v2/logging HTTP/1.1\r\nX-Key: k\r\nContent-Length: 23\r\n" HEAD
     "{\"log_verbose_level\":1}",
     " 200 |\"log_verbose_level\":1"},
};

LOOP_TEST(a_reply_follows_from_the_headers, COUNT(replies))
{
    http_case_start(replies[_i].kind);
    http_case.world->options.cors_allow_origin = replies[_i].cors;
    http_case_ask(0, replies[_i].request);
    http_case_work(); /* compresses */
    http_case_gets(0, replies[_i].parts);
}

UNIT_TEST(a_port_without_restrictions_asks_for_no_key)
{
    http_case_start(WORLD_GUARDED);
    http_case.world->profile.unrestricted = true;
    http_case_ask(0, CASE_METADATA);
    http_case_gets(0, " 200 OK");
}

/* A full queue refuses a long body before it comes; a short one may find a
 * place until it has come. */
UNIT_TEST(a_long_body_is_refused_where_no_worker_would_take_it)
{
    http_case.world->options.inline_limit = 0;
    http_case.world->service.workers.queue.settings =
        (struct queue_settings){.max_waiting = 1, .workers = 1};
    http_case_ask(0, CASE_INFER);
    http_case_ask(1, CASE_POST "Content-Length: 65536\r\n\r\n");
    http_case_ask(2, CASE_POST "Expect: 100-continue\r\n"
                               "Content-Length: 65537\r\n\r\n");
    ck_assert_str_eq(http_case_receive(1), "");
    http_case_gets(2, " 503 ");
    ck_assert_uint_eq(http_case_rejected(METRICS_QUEUE_FULL), 1);
    while (world_work(http_case.world))
        continue;
}

/* The reply is the one behind it. */
UNIT_TEST(a_client_is_told_to_go_on)
{
    http_case_ask(0, CASE_POST "Expect: 100-continue\r\n"
                               "Content-Length: 142\r\n\r\n");
    http_case_gets(0, "HTTP/1.1 100 Continue\r\n\r\n");
    http_case_say(0, DOCUMENT);
    http_case_gets(0, "HTTP/1.1 200 OK|\r\n\r\n{|!100");
    ck_assert_uint_eq(http_case_count(200), 1);
    http_case_ask(1, CASE_POST "Expect: 100-continue\r\n"
                               "Content-Length: 1\r\n\r\n");
    http_case_gets(1, " 100 Continue");
    http_case_say(1, "{");
    http_case_gets(1, " 400 ");
    ck_assert_uint_eq(http_case_count(400), 1);
}

UNIT_TEST(times_are_told_unless_an_option_forbids)
{
    http_case.world->options.server_timing = false;
    http_case_ask(0, CASE_INFER);
    http_case_gets(0, "!\r\nServer-Timing: ");
}

#define DICTIONARY "{'descr':'|u1','fortran_order':False,'shape':(2,1)}\n"
#define FILE_HEAD "\x93NUMPY\1\0\x34\0"

/* The query has the lengths; the form follows Content-Type and Accept. */
LOOP_TEST(a_file_is_answered_in_the_form_that_is_asked_for, 2)
{
    static const char head[] =
        "POST /v2/models/onnx.ReverseSequence/infer?sequence_lens=[2] "
        "HTTP/1.1\r\nHost: f\r\nContent-Type: application/x-npy\r\n";
    static const char file[] = FILE_HEAD DICTIONARY "\5\7";
    const char *accept = _i > 0 ? "Accept: application/json\r\n" : "";
    char request[400];
    const char *reply;
    int at = sprintf(request, "%s%sContent-Length: %zu\r\n\r\n", head, accept,
                     sizeof(file) - 1);

    static_assert(sizeof(DICTIONARY) - 1 == 0x34, "its length stands before");
    memcpy(request + at, file, sizeof(file) - 1);
    http_case_connect(0, false);
    http_case.clients[0].to_send = request;
    http_case.clients[0].left = (size_t)at + sizeof(file) - 1;
    client_send(&http_case.clients[0], SIZE_MAX);
    http_case_turn();
    client_receive(&http_case.clients[0], SIZE_MAX);
    ck_assert_int_eq(
        memcmp(http_case.clients[0].got + http_case.clients[0].len - 2, "\7\5",
               2) == 0,
        _i == 0);
    reply = http_case_receive(0);
    ck_assert_ptr_nonnull(strstr(reply, " 200 OK"));
    ck_assert_int_eq(!!strstr(reply, "\"data\":[7,5]"), _i);
}

#define GET "GET /v2 HTTP/1.1\r\n"
#define CHUNKS CASE_POST "Transfer-Encoding: "

/* What cannot be read; '@' stands for more than there is memory for. */
static const struct {
    const char *request, *parts;
} unreadable[] = {
    {"GET /v2 HTTP/1.1\rX\r\n\r\n", " 400 |a CR without an LF"},
    {"GET /v2 a b HTTP/1.1\r\n" HEAD, " 400 |more than three words"},
    {"GET /v2 HTTP/2.0\r\n" HEAD,
     " 505 |\"the major version must be 1: HTTP/1.1 and 1.0 are supported\""},
    {"GET /@ HTTP/1.1\r\n" HEAD, " 414 |the request line is too long"},
    {"@ /v2 HTTP/1.1\r\n" HEAD, " 414 |the request line is too long"},
    {GET "X: @\r\n" HEAD, " 431 |the headers are too long"},
    {GET "\r\n", " 400 |the header Host, which is absent"},
    {GET "Host: f\r\n" HEAD, " 400 |the header Host was given twice"},
    {GET "X: y\r\n z\r\n" HEAD, " 400 |folded lines are not supported"},
    {GET "X : y\r\n" HEAD,
     " 400 |\"a header or trailer has no colon, or a space before it\""},
    {GET "Foo bar\r\n" HEAD,
     " 400 |\"a header or trailer has no colon, or a space before it\""},
    {GET "X\r\n" HEAD, " 400 |a header has no colon"},
    {GET ": y\r\n" HEAD, " 400 |a header has no name"},
    {GET "Content-Length: x\r\n" HEAD, " 400 |Content-Length is no integer"},
    {CHUNKS "chunked\r\nContent-Length: 1\r\n\r\n", " 400 |exclude each"},
    {CHUNKS "gzip\r\n\r\n", " 501 |supported is chunked, once"},
    {CHUNKS "chunked\r\n\r\nx\r\n", " 400 |the chunked body is malformed"},
    {"\r\n\r\n" CASE_METADATA, " 400 |the request line cannot be read"},
    {CASE_METADATA "\r\n\r\n" CASE_METADATA, " 400 |line cannot be read"},
    /* Only the bytes of this request make it too long. */
    {GET "Content-Length: 31744\r\n" HEAD "@\r\n\r\n" CASE_METADATA,
     " 400 |the request line cannot be read"},
};

LOOP_TEST(what_cannot_be_read_is_told_why, COUNT(unreadable))
{
    enum { MEMORY = 31 << 10 };
    static char text[MEMORY + 400];
    char *to = text;

    for (const char *from = unreadable[_i].request; *from; from++) {
        size_t len = *from == '@' ? MEMORY : 1;

        memset(to, *from == '@' ? 'a' : *from, len);
        to += len;
    }
    http_case_connect(0, false);
    http_case_send_all(0, text);
    http_case_wait(500);
    http_case_gets(0, unreadable[_i].parts);
    ck_assert_int_eq(http_case_has_ended(0), 1);
}

FIXTURE(http_case_set_up, http_case_tear_down)
