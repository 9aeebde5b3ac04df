#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "server/routes/route_auth.h"
#include "tests/unit.h"

static struct route_auth auth;
static struct status st;
static bool allowed; /* changes of the log */

static bool init(const char *const rules[])
{
    struct options options = {.allow_log_changes = allowed};

    for (int i = 0; rules[i]; i++)
        options.http_restricted_api.all[options.http_restricted_api.count++] =
            rules[i];
    return route_auth_init(&auth, &options, &st);
}

static bool init_one(const char *rule)
{
    return init((const char *const[]){rule, NULL});
}

static const char *find(void *given, const char *name)
{
    const char *const *header = given; /* a name and a value */

    return header[0] && strcasecmp(header[0], name) == 0 ? header[1] : NULL;
}

/* The status of the reply; 0 when the route may be used. */
static int check_method(enum api_route_id route, const char *method,
                        const char *name, const char *value)
{
    const char *header[] = {name, value};
    struct api_reply reply = {0};
    int status = 0;

    if (!route_auth_allow(&auth, route, method, find, header, &reply))
        status = reply.status;
    api_reply_free(&reply);
    return status;
}

static int check(enum api_route_id route, const char *name, const char *value)
{
    return check_method(route, "GET", name, value);
}

static const struct {
    bool allowed;
    const char *rules[3];
    int without, with; /* status of a POST without and with "k: v" */
} changes[] = {
    {false, {NULL}, 403, 403},
    {true, {NULL}, 0, 0},
    {false, {"logging:k=v", NULL}, 403, 0},
    {true, {"logging:k=v", NULL}, 403, 0},
    {false, {"metrics,logging:k=v", NULL}, 403, 0},
    {false, {"metrics:k=v", "statistics:k=v", NULL}, 403, 403},
};

LOOP_TEST(auth_leaves_the_log_to_whom_it_is_given, COUNT(changes))
{
    int closed = 0;

    for (int i = 0; changes[_i].rules[i]; i++)
        closed |= strstr(changes[_i].rules[i], "logging") ? 403 : 0;
    allowed = changes[_i].allowed;
    ck_assert(init(changes[_i].rules));
    ck_assert_int_eq(check_method(API_ROUTE_LOGGING, "POST", NULL, NULL),
                     changes[_i].without);
    ck_assert_int_eq(check_method(API_ROUTE_LOGGING, "POST", "k", "v"),
                     changes[_i].with);
    ck_assert_int_eq(check_method(API_ROUTE_LOGGING, "GET", NULL, NULL),
                     closed);
    ck_assert_int_eq(check_method(API_ROUTE_LOGGING, "GET", "k", "v"), 0);
    ck_assert_int_eq(check_method(API_ROUTE_LOGGING, "HEAD", "k", "v"), 0);
    ck_assert_int_eq(check_method(API_ROUTE_INFER, "POST", NULL, NULL), 0);
}

UNIT_TEST(auth_asks_only_the_named_routes_for_the_secret)
{
    ck_assert(init_one("logging,statistics:x-key=abc"));
    ck_assert_int_eq(check(API_ROUTE_INFER, NULL, NULL), 0);
    ck_assert_int_eq(check(API_ROUTE_PAGE, NULL, NULL), 0);
    ck_assert_int_eq(check(API_ROUTE_LOGGING, NULL, NULL), 403);
    ck_assert_int_eq(check(API_ROUTE_STATISTICS, "X-Other", "abc"), 403);
    ck_assert_int_eq(check(API_ROUTE_STATISTICS, "X-Key", "abc"), 0);
}

static const struct {
    const char *rule;
    enum api_route_id routes[7]; /* ends with API_ROUTE_NONE */
} groups[] = {
    {"health:x-key=abc",
     {API_ROUTE_LIVE, API_ROUTE_READY, API_ROUTE_MODEL_READY}},
    {"metadata:x-key=abc",
     {API_ROUTE_SERVER, API_ROUTE_MODELS, API_ROUTE_MODEL}},
    {"inference:x-key=abc", {API_ROUTE_INFER}},
    {"shared-memory:x-key=abc",
     {API_ROUTE_SHM_STATUS, API_ROUTE_SHM_REGISTER, API_ROUTE_SHM_UNREGISTER,
      API_ROUTE_CUDA_STATUS, API_ROUTE_CUDA_REGISTER,
      API_ROUTE_CUDA_UNREGISTER}},
    {"model-config:x-key=abc", {API_ROUTE_CONFIG}},
    {"model-repository:x-key=abc", {API_ROUTE_INDEX, API_ROUTE_LOAD}},
    {"statistics:x-key=abc", {API_ROUTE_STATISTICS}},
    {"logging:x-key=abc", {API_ROUTE_LOGGING}},
    {"metrics:x-key=abc", {API_ROUTE_METRICS}},
};

/* A rule for each group but the one at `_i`: the routes of that one are open,
 * all others are not. */
LOOP_TEST(auth_has_every_route_in_one_group, COUNT(groups))
{
    const char *rules[COUNT(groups) + 1] = {NULL};
    int count = 0;

    for (int i = 0; i < (int)COUNT(groups); i++)
        if (i != _i)
            rules[count++] = groups[i].rule;
    ck_assert(init(rules));
    for (int i = 0; i < (int)COUNT(groups); i++)
        for (int j = 0; groups[i].routes[j] != API_ROUTE_NONE; j++)
            ck_assert_int_eq(check(groups[i].routes[j], NULL, NULL),
                             i == _i ? 0 : 403);
}

static const struct {
    const char *rule, *method, *value, *error;
} refusals[] = {
    {"logging:x-key=abc", "GET", NULL,
     "this route is restricted: the header x-key is missing"},
    {"logging:x-key=abc", "GET", "ab",
     "this route is restricted: the header x-key is not the right one"},
    {"metrics:x-key=abc", "POST", "abc",
     "the log's settings cannot be changed here: the daemon is started with "
     "--allow-log-changes, or with --http-restricted-api for logging, for "
     "that"},
};

LOOP_TEST(auth_says_why_it_refuses, COUNT(refusals))
{
    const char *header[] = {"X-Key", refusals[_i].value};
    struct api_reply reply = {0};

    ck_assert(init_one(refusals[_i].rule));
    ck_assert(!route_auth_allow(&auth, API_ROUTE_LOGGING, refusals[_i].method,
                                find, header, &reply));
    ck_assert_pstr_eq(reply.error, refusals[_i].error);
    api_reply_free(&reply);
}

UNIT_TEST(auth_wants_every_rule_of_a_route_and_the_whole_secret_or_token)
{
    static const char *const wrong[] = {"", "a", "ab", "abd", "abcd", "Abc"};

    ck_assert(init_one("logging:x-key=abc"));
    for (size_t i = 0; i < COUNT(wrong); i++)
        ck_assert_int_eq(check(API_ROUTE_LOGGING, "x-key", wrong[i]), 403);
    ck_assert(init(
        (const char *const[]){"logging:a=1", "logging,metrics:b=2", NULL}));
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "a", "1"), 403);
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "b", "2"), 403);
    ck_assert_int_eq(check(API_ROUTE_METRICS, "b", "2"), 0);
    ck_assert(init_one("inference:Authorization=Bearer abc"));
    ck_assert_int_eq(check(API_ROUTE_INFER, NULL, NULL), 401);
    ck_assert_int_eq(check(API_ROUTE_INFER, "authorization", "Bearer x"), 403);
    ck_assert_int_eq(check(API_ROUTE_INFER, "authorization", "Bearer abc"), 0);
}

/* init() with a rule whose secret is in a file of these bytes. */
static bool init_from_file(const char *bytes, size_t len)
{
    static char rule[80]; /* an option lives as long as the rules */
    char path[] = "/tmp/flipd-secret-XXXXXX";
    int fd = mkstemp(path);
    bool started;

    ck_assert_int_eq(write(fd, bytes, len), (ssize_t)len);
    close(fd);
    snprintf(rule, sizeof(rule), "logging:x-key=@%s", path);
    started = init_one(rule);
    remove(path);
    return started;
}

static const char *const endings[] = {"", "\n", "\r\n"};

/* Only what a client can mend by a token is 401. */
static const struct {
    const char *rule;
    int missing;
} schemes[] = {
    {"inference:authorization=bearer abc", 401},
    {"inference:AUTHORIZATION=BEARER abc", 401},
    {"inference:Authorization=Bearerabc", 403},
    {"inference:Authorization=Basic abc", 403},
    {"inference:X-Authorization=Bearer abc", 403},
};

LOOP_TEST(auth_knows_a_bearer_token_by_header_and_scheme, COUNT(schemes))
{
    ck_assert(init_one(schemes[_i].rule));
    ck_assert_int_eq(check(API_ROUTE_INFER, NULL, NULL), schemes[_i].missing);
}

LOOP_TEST(auth_reads_a_secret_from_a_file, COUNT(endings))
{
    char text[8];
    int len = snprintf(text, sizeof(text), "abc%s", endings[_i]);

    ck_assert(init_from_file(text, (size_t)len));
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "x-key", "abc"), 0);
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "x-key", text), _i ? 403 : 0);
}

/* A secret of the greatest length counts whole, and a longer one is refused:
 * its beginning must not open the route. */
LOOP_TEST(auth_never_cuts_a_secret, COUNT(endings))
{
    char text[4096 + 4];
    size_t end = strlen(endings[_i]);

    memset(text, 'k', sizeof(text));
    memcpy(text + 4096, endings[_i], end + 1);
    ck_assert(init_from_file(text, 4096 + end));
    text[4096] = '\0';
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "x-key", text), 0);
    text[4095] = '\0';
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "x-key", text), 403);
    text[4095] = text[4096] = 'k';
    memcpy(text + 4097, endings[_i], end);
    ck_assert(!init_from_file(text, 4097 + end));
    ck_assert_msg(
        strstr(st.message, "it has 4097 bytes, but the limit is 4096"), "%s",
        st.message);
}

#define NEVER "a value that no request can"

static const struct {
    const char *bytes;
    size_t len;
    const char *message;
} bad_files[] = {
    {"", 0, "it is empty"},
    {"\n\r\n", 3, "it is empty"},
    {"abc\0def\n", 8, "byte 3 of it is a NUL"},
    {"\0", 1, "byte 0 of it is a NUL"},
    {"abc \n", 5, NEVER},
    {"\tabc", 4, NEVER},
    {"a\nb", 3, NEVER},
    {"\xEF\xBB\xBF abc", 7, NEVER},
};

LOOP_TEST(auth_refuses_a_file_without_a_secret, COUNT(bad_files))
{
    ck_assert(!init_from_file(bad_files[_i].bytes, bad_files[_i].len));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, bad_files[_i].message), "%s", st.message);
    if (_i < 4)
        ck_assert_ptr_nonnull(strstr(st.message, "/tmp/flipd-secret-"));
    ck_assert(!init_one("logging:x-key=@/nowhere"));
    ck_assert_ptr_nonnull(strstr(st.message, "/nowhere: No such file"));
}

#define H32 "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"

static const struct {
    const char *rule, *message;
} refused[] = {
    {"", "no HEADER=VALUE"},
    {"logging", "no HEADER=VALUE"},
    {"logging:x-key", "no HEADER=VALUE"},
    {"logging:=secret", "no HEADER=VALUE"},
    {"logging:x-key=", "empty value"},
    {"logging:x key=secret", "the header 'x key', a name that no request"},
    {"logging:x-key =secret", "the header 'x-key ', a name that no request"},
    {"logging:x-k\u00E9y=secret", "a name that no request"},
    {"logging:" H32 H32 H32 H32 "=secret", "a name that no request"},
    {"logging:x-key= secret", "begins or ends with a blank"},
    {"logging:x-key=secret\t", "begins or ends with a blank"},
    {"logging:x-key=sec\nret", "more than one line"},
    {"logging:x-key=sec\rret", "more than one line"},
    {"logging:x-key=sec\x1bret", "a control character"},
    {"logging:x-key=sec\x7fret", "a control character"},
    {":x-key=secret", "names no api"},
    {"loging:x-key=secret", "the api 'loging'"},
    {"model:x-key=secret", "the api 'model'"},
    {"metricss:x-key=secret", "the api 'metricss'"},
    {"logging,,health:x-key=secret", "the api ''"},
};

LOOP_TEST(auth_refusal_names_the_fault_and_not_the_secret, COUNT(refused))
{
    ck_assert(!init_one(refused[_i].rule));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refused[_i].message), "%s", st.message);
    ck_assert_ptr_null(strstr(st.message, "secret"));
}

/* A route is always open, or of a group that the option can name. */
UNIT_TEST(auth_can_name_the_group_of_every_route)
{
    for (const struct api_route_row *row = api_routes; row->path; row++) {
        char rule[40];

        if (row->again)
            continue;
        ck_assert_msg(row->group || row->id == API_ROUTE_CONTRACT ||
                          row->id == API_ROUTE_CONTRACT_JSON ||
                          row->id == API_ROUTE_PAGE ||
                          row->id == API_ROUTE_DOCS ||
                          row->id == API_ROUTE_STATUS,
                      "%s is open", row->path);
        snprintf(rule, sizeof(rule), "%s:k=v",
                 row->group ? row->group : "health");
        ck_assert_msg(init_one(rule), "%s", rule);
        ck_assert_int_eq(check(row->id, NULL, NULL), row->group ? 403 : 0);
    }
}

/* A text of a path is that of no route, or asks for the secret too. */
static void check_spelling(const char *path)
{
    static const char *const methods[] = {"GET", "POST"};

    for (size_t i = 0; i < COUNT(methods); i++) {
        struct api_reply reply = {0};
        struct api_route route;

        if (api_route(methods[i], path, &route, &reply))
            ck_assert_msg(check_method(route.id, methods[i], NULL, NULL) == 403,
                          "%s", path);
        api_reply_free(&reply);
    }
}

/* What a proxy or a careless server might take for the path. */
static void check_spellings(const char *path)
{
    static const char *const slashes[] = {"//", "/./", "/x/../", "%2f", "%2F",
                                          "\\", "/;/", "/%2e/",  "%5c"};
    static const char *const ends[] = {"/",   "//", "/.", "/..",  "%20", "%00",
                                       "%2f", ".",  ";a", ";a=b", "%3f", "%23"};
    char text[200];

    for (const char *c = path; *c; c++) {
        int at = (int)(c - path);

        for (size_t i = 0; *c == '/' && i < COUNT(slashes); i++) {
            snprintf(text, sizeof(text), "%.*s%s%s", at, path, slashes[i],
                     c + 1);
            check_spelling(text);
        }
        if (*c == '/')
            continue;
        snprintf(text, sizeof(text), "%.*s%c%s", at, path, *c ^ 0x20, c + 1);
        check_spelling(text);
        snprintf(text, sizeof(text), "%.*s%%%02x%s", at, path, (unsigned)*c,
                 c + 1);
        check_spelling(text);
    }
    for (size_t i = 0; i < COUNT(ends); i++) {
        snprintf(text, sizeof(text), "%s%s", path, ends[i]);
        check_spelling(text);
    }
}

UNIT_TEST(auth_is_not_passed_by_another_spelling)
{
    ck_assert(init((const char *const[]){
        "health,metadata,inference,shared-memory,model-config,"
        "model-repository,statistics,logging,metrics:k=v",
        NULL}));
    for (const struct api_route_row *row = api_routes; row->path; row++)
        if (row->group || row->again)
            check_spellings(row->path);
}
