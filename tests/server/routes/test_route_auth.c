#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/routes/route_auth.h"
#include "tests/count.h"
#include "tests/suite.h"

static struct route_auth auth;
static struct status st;

static bool init(const char *const rules[])
{
    struct options options = {0};

    for (int i = 0; rules[i]; i++)
        options.http_restricted_api.all[options.http_restricted_api.count++] =
            rules[i];
    return route_auth_init(&auth, &options, &st);
}

static const char *find(void *given, const char *name)
{
    const char *const *header = given; /* a name and a value */

    return header[0] && strcasecmp(header[0], name) == 0 ? header[1] : NULL;
}

/* The status of the reply; 0 when the route may be used. */
static int check(enum api_route_id route, const char *name, const char *value)
{
    const char *header[] = {name, value};
    struct api_reply reply = {0};
    int status = 0;

    if (!route_auth_allow(&auth, route, find, header, &reply))
        status = reply.status;
    api_reply_free(&reply);
    return status;
}

START_TEST(auth_asks_only_the_named_routes_for_the_secret)
{
    ck_assert(
        init((const char *const[]){"logging,statistics:x-key=abc", NULL}));
    ck_assert_int_eq(check(API_ROUTE_INFER, NULL, NULL), 0);
    ck_assert_int_eq(check(API_ROUTE_PAGE, NULL, NULL), 0);
    ck_assert_int_eq(check(API_ROUTE_LOGGING, NULL, NULL), 403);
    ck_assert_int_eq(check(API_ROUTE_STATISTICS, "X-Other", "abc"), 403);
    ck_assert_int_eq(check(API_ROUTE_STATISTICS, "X-Key", "abc"), 0);
    route_auth_free(&auth);
}
END_TEST

static const struct {
    const char *rule;
    enum api_route_id routes[7]; /* ends with API_ROUTE_NONE */
} groups[] = {
    {"health:x-key=abc",
     {API_ROUTE_LIVE, API_ROUTE_READY, API_ROUTE_MODEL_READY}},
    {"metadata:x-key=abc",
     {API_ROUTE_SERVER, API_ROUTE_MODELS, API_ROUTE_MODEL, API_ROUTE_CONTRACT,
      API_ROUTE_PAGE}},
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
START_TEST(auth_has_every_route_in_one_group)
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
    route_auth_free(&auth);
}
END_TEST

START_TEST(auth_compares_the_whole_secret)
{
    static const char *const wrong[] = {"", "a", "ab", "abd", "abcd", "Abc"};

    ck_assert(init((const char *const[]){"logging:x-key=abc", NULL}));
    for (size_t i = 0; i < COUNT(wrong); i++)
        ck_assert_int_eq(check(API_ROUTE_LOGGING, "x-key", wrong[i]), 403);
    route_auth_free(&auth);
}
END_TEST

START_TEST(auth_wants_every_rule_of_a_route)
{
    ck_assert(init(
        (const char *const[]){"logging:a=1", "logging,metrics:b=2", NULL}));
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "a", "1"), 403);
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "b", "2"), 403);
    ck_assert_int_eq(check(API_ROUTE_METRICS, "b", "2"), 0);
    route_auth_free(&auth);
}
END_TEST

START_TEST(auth_answers_a_missing_bearer_token_with_401)
{
    ck_assert(init(
        (const char *const[]){"inference:Authorization=Bearer abc", NULL}));
    ck_assert_int_eq(check(API_ROUTE_INFER, NULL, NULL), 401);
    ck_assert_int_eq(check(API_ROUTE_INFER, "authorization", "Bearer x"), 403);
    ck_assert_int_eq(check(API_ROUTE_INFER, "authorization", "Bearer abc"), 0);
    route_auth_free(&auth);
}
END_TEST

START_TEST(auth_reads_a_secret_from_a_file)
{
    char path[] = "/tmp/flipd-secret-XXXXXX", rule[80];
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");

    fputs("abc\r\n\n", file);
    fclose(file);
    snprintf(rule, sizeof(rule), "logging:x-key=@%s", path);
    ck_assert(init((const char *const[]){rule, NULL}));
    ck_assert_int_eq(check(API_ROUTE_LOGGING, "x-key", "abc"), 0);
    route_auth_free(&auth);
    remove(path);
    ck_assert(!init((const char *const[]){rule, NULL}));
    ck_assert_ptr_nonnull(strstr(st.message, "cannot be read as text"));
    route_auth_free(&auth);
}
END_TEST

static const struct {
    const char *rule, *message;
} refused[] = {
    {"", "no HEADER=VALUE"},
    {"logging", "no HEADER=VALUE"},
    {"logging:x-key", "no HEADER=VALUE"},
    {"logging:=secret", "no HEADER=VALUE"},
    {"logging:x-key=", "empty value"},
    {":x-key=secret", "names no api"},
    {"loging:x-key=secret", "the api 'loging'"},
};

START_TEST(auth_refusal_names_the_fault_and_not_the_secret)
{
    ck_assert(!init((const char *const[]){refused[_i].rule, NULL}));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refused[_i].message), "%s", st.message);
    ck_assert_ptr_null(strstr(st.message, "secret"));
    route_auth_free(&auth);
}
END_TEST

SUITE("route_auth", TEST(auth_asks_only_the_named_routes_for_the_secret),
      LOOP(auth_has_every_route_in_one_group, COUNT(groups)),
      TEST(auth_compares_the_whole_secret),
      TEST(auth_wants_every_rule_of_a_route),
      TEST(auth_answers_a_missing_bearer_token_with_401),
      TEST(auth_reads_a_secret_from_a_file),
      LOOP(auth_refusal_names_the_fault_and_not_the_secret, COUNT(refused)))
