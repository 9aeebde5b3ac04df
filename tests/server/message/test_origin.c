#include <stdlib.h>
#include <string.h>

#include "server/message/origin.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

static const struct {
    const char *allowed;
    const char *origin;
    const char *result;
} origins[] = {
    {NULL, "http://a", NULL},
    {"*", NULL, "*"},
    {"http://a", NULL, NULL},
    {"*", "http://a", "*"},
    {"http://a", "http://a", "http://a"},
    {"http://a,http://b", "http://b", "http://b"},
    {" http://a , http://b,", "http://b", "http://b"},
    {"http://A.Example", "http://a.example", "http://a.example"},
    {"null", "null", "null"},
    {"http://a", "null", NULL},
    {"http://a", "http://a.evil", NULL},
    {"http://a.b", "http://a", NULL},
};

LOOP_TEST(origin_must_be_listed, COUNT(origins))
{
    struct headers headers = {.origin = origins[_i].origin};

    ck_assert_pstr_eq(origin_allowed(origins[_i].allowed, &headers),
                      origins[_i].result);
}

static const struct {
    const char *allowed;
    const char *only;
    bool varies;
} singles[] = {
    {NULL, NULL, false},
    {"*", "*", false},
    {"http://a", "http://a", true},
    {" http://a", "http://a", true},
    {"null", "null", true},
    {"http://a,http://b", NULL, true},
    {"http://a,", NULL, true},
};

LOOP_TEST(origin_is_known_where_only_one_is_allowed, COUNT(singles))
{
    ck_assert_pstr_eq(origin_only(singles[_i].allowed), singles[_i].only);
    ck_assert_int_eq(origin_varies(singles[_i].allowed), singles[_i].varies);
}

static const struct {
    const char *allowed, *origin, *cors_method;
    int status, answer; /* before and after */
} preflights[] = {
    {"http://a", "http://c", "GET", 405, 405},
    {"http://a", "http://a", "GET", 405, 204},
    {"*", "http://a", "GET", 405, 204},
    {"*", "http://a", NULL, 405, 405},
    {"*", NULL, "GET", 405, 405},
    {"*", "http://a", "GET", 404, 404},
    {"*", "http://a", "GET", 200, 200},
    {NULL, "http://a", "GET", 405, 405},
};

/* A granted one has the methods and nothing else. */
LOOP_TEST(origin_preflight_is_granted_to_whom_it_concerns, COUNT(preflights))
{
    struct api_reply reply = {.status = preflights[_i].status,
                              .allow = "GET",
                              .piece_count = 1,
                              .pieces = {{"no", 2}}};
    struct headers headers = {.origin = preflights[_i].origin,
                              .cors_method = preflights[_i].cors_method};
    bool granted = preflights[_i].answer == 204;
    size_t before = heap_in_use();

    reply.owned = malloc(1 << 20);
    origin_preflight(preflights[_i].allowed, &headers, &reply);
    ck_assert_int_eq(reply.status, preflights[_i].answer);
    ck_assert_int_eq(reply.piece_count, granted ? 0 : 1);
    ck_assert_str_eq(reply.allow, "GET");
    if (!granted)
        api_reply_free(&reply);
    ck_assert_ptr_null(reply.owned);
    ck_assert_uint_lt(heap_in_use(), before + (1 << 20));
}

static const struct {
    const char *allowed; /* an entry, or a list with one */
    const char *fault;   /* NULL: none */
} lists[] = {
    {NULL, NULL},
    {"*", NULL},
    {"null", NULL},
    {"http://a", NULL},
    {"http://a, https://b.example:8443", NULL},
    {"http://127.0.0.1:8000,http://[::1]:8000", NULL},
    {"chrome-extension://abcdefghijklmnop", NULL},
    {"http://a_b.example:443", NULL},
    {"http://a:1", NULL},
    {"http://a:65535", NULL},
    {"https://a:80", NULL},
    {"a://b", NULL},
    {"httpsx://a:443", NULL},
    {"httpx://a:443", NULL},
    {"null,http://a", NULL},
    {"http://a,null", NULL},
    {"a.example", "origin: a.example never matches: it has no scheme"},
    {"//a.example", "no scheme"},
    {"http:/a.example", "no scheme"},
    {"://a.example", "no scheme"},
    {"nullable", "no scheme"},
    {"Null", "no scheme"},
    {"*.a.example", "no scheme"},
    {"http://a, b", "origin: b never matches: it has no scheme"},
    {"http://", "it has no host"},
    {"http://:80", "it has no host"},
    {"http://a/", "origin: http://a/ never matches: it has a path"},
    {"http://a:81/b", "it has a path"},
    {"http://a:81b", "its port is no number"},
    {"http://a:", "its port is no number"},
    {"http://a:0", "its port is no number"},
    {"http://a:65536", "its port is no number"},
    {"http://a:80", "leave out the scheme's own port"},
    {"https://a:443", "leave out the scheme's own port"},
    {"https://*.a.example", "its host"},
    {"http://me@a", "its host"},
    {"http://[::1", "its host"},
    {"http://b\u00FCcher.example", "its host"},
    {"*,http://a", "an asterisk stands alone"},
    {"http://a *", "an asterisk stands alone"},
};

LOOP_TEST(origin_list_is_refused_where_it_never_matches, COUNT(lists))
{
    const char *fault = lists[_i].fault;
    struct status st = {.message = ""};

    ck_assert_int_eq(origin_check(lists[_i].allowed, &st), fault == NULL);
    if (!fault)
        return;
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, fault), "%s", st.message);
    ck_assert_ptr_nonnull(strstr(st.message, "--cors-allow-origin: "));
}

/* A POST at http://flipd:8000. */
static const struct {
    const char *origin, *fetch_site, *allowed;
    bool sent;
} posts[] = {
    {NULL, NULL, NULL, true}, /* no browser */
    {NULL, "cross-site", NULL, true},
    {"http://flipd:8000", NULL, NULL, true},
    {"https://flipd:8000", NULL, NULL, true}, /* TLS ends at a proxy */
    {"http://FLIPD:8000", NULL, NULL, true},
    {"http://flipd", NULL, NULL, false},
    {"http://flipd:8001", NULL, NULL, false},
    {"http://flipd:8000.evil", NULL, NULL, false},
    {"http://evil", NULL, NULL, false},
    {"null", NULL, NULL, false},
    {"flipd:8000", NULL, NULL, false},
    /* The browser knows best: a proxy may have changed Host. */
    {"https://public", "same-origin", NULL, true},
    {"https://public", "none", NULL, true},
    {"http://flipd:8000", "cross-site", NULL, false},
    {"http://flipd:8000", "same-site", NULL, false},
    {"http://flipd:8000", "", NULL, false},
    {"null", "same-origin", NULL, true},
    {"http://a", "cross-site", "http://a", true},
    {"http://a", NULL, "http://b, http://a", true},
    {"http://a", NULL, "*", true},
    {"null", "cross-site", "*", true},
    {"http://a", NULL, "http://b", false},
};

static const struct {
    const char *content_type;
    bool sent; /* by a page of another origin */
} types[] = {
    {NULL, false},
    {"", true}, /* no browser writes this */
    {"text/plain", false},
    {"Text/Plain; charset=UTF-8", false},
    {"text/plain ;a", false},
    {"application/x-www-form-urlencoded", false},
    {"multipart/form-data; boundary=x", false},
    {"application/json", true},
    {"application/octet-stream", true},
    {"application/json; text/plain", true},
    {"text/plainer", true},
    {"text/plai", true},
    {"image/jpeg", true},
};

static int status; /* of a refusal */

static bool may_send(const char *allowed, const struct headers *headers,
                     const char *method)
{
    struct api_reply reply = {0};
    bool may = origin_may_send(allowed, headers, method, &reply);

    status = reply.status;
    api_reply_free(&reply);
    return may;
}

LOOP_TEST(origin_matters_to_types_that_need_no_preflight, COUNT(types))
{
    struct headers headers = {.origin = "http://evil",
                              .host = "flipd",
                              .content_type = types[_i].content_type};

    ck_assert_int_eq(may_send(NULL, &headers, "POST"), types[_i].sent);
}

LOOP_TEST(origin_of_another_page_may_not_send, COUNT(posts))
{
    struct headers headers = {.origin = posts[_i].origin,
                              .host = "flipd:8000",
                              .fetch_site = posts[_i].fetch_site};

    ck_assert_int_eq(may_send(posts[_i].allowed, &headers, "POST"),
                     posts[_i].sent);
    ck_assert_int_eq(status, posts[_i].sent ? 0 : 403);
}

UNIT_TEST(origin_does_not_matter_to_requests_that_only_read)
{
    struct headers headers = {.origin = "http://evil", .host = "flipd"};

    ck_assert(may_send(NULL, &headers, "GET"));
    ck_assert(may_send(NULL, &headers, "HEAD"));
    ck_assert(may_send(NULL, &headers, "OPTIONS"));
    ck_assert(!may_send(NULL, &headers, "POST"));
    headers.host = NULL; /* HTTP/1.0 */
    ck_assert(!may_send(NULL, &headers, "POST"));
}

UNIT_TEST(origin_refusal_names_origin_and_option)
{
    static const char text[] =
        "{\"error\":\"the Origin http://evil is not this server's: "
        "--cors-allow-origin names the other origins whose pages may send "
        "requests\"}";
    struct headers headers = {.origin = "http://evil", .host = "flipd"};
    struct api_reply reply = {0};

    ck_assert(!origin_may_send(NULL, &headers, "POST", &reply));
    ck_assert_uint_eq(reply.pieces[0].len, sizeof(text) - 1);
    ck_assert_mem_eq(reply.pieces[0].data, text, sizeof(text) - 1);
    api_reply_free(&reply);
}
