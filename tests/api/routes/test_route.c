#include "tests/api/ask.h"
#include "tests/unit.h"

static const struct {
    const char *path;
    enum api_route_id id;
    const char *label;
    const char *segments;
} known[] = {
    {"/v2", API_ROUTE_SERVER, "/v2", ""},
    {"/v2/", API_ROUTE_SERVER, "/v2", ""},
    {"/v2/health/live", API_ROUTE_LIVE, "/v2/health/live", ""},
    {"/v2/health/ready", API_ROUTE_READY, "/v2/health/ready", ""},
    {"/healthz", API_ROUTE_READY, "/v2/health/ready", ""},
    {"/v2/models", API_ROUTE_MODELS, "/v2/models", ""},
    {"/v2/models/m", API_ROUTE_MODEL, "/v2/models/{model}", "model=m "},
    {"/v2/models/infer", API_ROUTE_MODEL, "/v2/models/{model}", "model=infer "},
    {"/v2/models/m/versions/10", API_ROUTE_MODEL, "/v2/models/{model}",
     "model=m version=10 "},
    {"/v2/models/m%2Fx", API_ROUTE_MODEL, "/v2/models/{model}", "model=m%2Fx "},
    {"/v2/models/m/ready", API_ROUTE_MODEL_READY, "/v2/models/{model}/ready",
     "model=m "},
    {"/v2/models/m/versions/1/ready", API_ROUTE_MODEL_READY,
     "/v2/models/{model}/ready", "model=m version=1 "},
    {"/v2/models/m/infer", API_ROUTE_INFER, "/v2/models/{model}/infer",
     "model=m "},
    {"/v2/models/versions/versions/versions/infer", API_ROUTE_INFER,
     "/v2/models/{model}/infer", "model=versions version=versions "},
    {"/v2/systemsharedmemory/status", API_ROUTE_SHM_STATUS,
     "/v2/systemsharedmemory/status", ""},
    {"/v2/systemsharedmemory/region/a%20b/status", API_ROUTE_SHM_STATUS,
     "/v2/systemsharedmemory/region/{region}/status", "region=a%20b "},
    {"/v2/cudasharedmemory/status", API_ROUTE_CUDA_STATUS,
     "/v2/cudasharedmemory/status", ""},
    {"/v2/cudasharedmemory/region/status/status", API_ROUTE_CUDA_STATUS,
     "/v2/cudasharedmemory/region/{region}/status", "region=status "},
    {"/metrics", API_ROUTE_METRICS, "/metrics", ""},
    {"/openapi.yaml", API_ROUTE_CONTRACT, "/openapi.yaml", ""},
    {"/openapi.json", API_ROUTE_CONTRACT_JSON, "/openapi.json", ""},
    {"/", API_ROUTE_PAGE, "/", ""},
    {"/docs", API_ROUTE_DOCS, "/docs", ""},
    {"/status", API_ROUTE_STATUS, "/status", ""},
};

static void print_segment(char *text, const char *name, const char *path,
                          struct api_segment segment)
{
    if (segment.len > 0)
        sprintf(text + strlen(text), "%s=%.*s ", name, (int)segment.len,
                path + segment.at);
}

LOOP_TEST(route_finds_every_path_with_its_segments, COUNT(known))
{
    const char *method = known[_i].id == API_ROUTE_INFER ? "POST" : "GET";
    struct api_reply reply = {0};
    struct api_route route;
    char segments[100] = "";

    ck_assert(api_route(method, known[_i].path, &route, &reply));
    ck_assert_int_eq(route.id, known[_i].id);
    ck_assert_str_eq(route.label, known[_i].label);
    print_segment(segments, "model", known[_i].path, route.model);
    print_segment(segments, "version", known[_i].path, route.version);
    print_segment(segments, "region", known[_i].path, route.region);
    ck_assert_str_eq(segments, known[_i].segments);
}

LOOP_TEST(route_refuses_a_wrong_method_and_says_which_are_right, COUNT(known))
{
    static const char *const methods[] = {
        "POST", "PUT",   "DELETE", "PATCH", "OPTIONS", "TRACE", "get",
        "HEA",  "HEADS", "",       ",",     "GET,",    " HEAD", "GET, HEAD",
    };
    bool infers = known[_i].id == API_ROUTE_INFER;
    const char *allow = infers ? "POST" : "GET, HEAD";

    for (int i = infers; i < COUNT(methods); i++) {
        struct api_reply reply = {0};
        struct api_route route;
        struct answer a;

        ck_assert(!api_route(methods[i], known[_i].path, &route, &reply));
        ck_assert_str_eq(route.label, known[_i].label);
        api_reply_free(&reply);
        a = ask(&(struct ask){.method = methods[i], .path = known[_i].path});
        ck_assert_str_eq(a.allow, allow);
        assert_answer_refused(a, 405, "not allowed", allow, NULL);
    }
}

LOOP_TEST(route_answers_head_where_it_answers_get, COUNT(known))
{
    struct api_reply reply = {0};
    struct api_route route;
    bool ok = api_route("HEAD", known[_i].path, &route, &reply);

    ck_assert_int_eq(ok, known[_i].id != API_ROUTE_INFER);
    api_reply_free(&reply);
}

static const char *const unknown[] = {
    "",
    "v2",
    "*",
    "/v",
    "/v2x",
    "/V2",
    "/v2//",
    "/v3",
    "//v2",
    "/v2/health",
    "/v2/health/",
    "/v2/health/live/",
    "/v2/health/lively",
    "/v2/models/",
    "/v2/models//",
    "/v2/models//infer",
    "/v2/models//versions/1/infer",
    "/v2/models/m/",
    "/v2/models/m/versions",
    "/v2/models/m/versions/",
    "/v2/models/m/versions//infer",
    "/v2/models/m/versions/1/",
    "/v2/models/m/versions/1/infer/",
    "/v2/models/m/infer/",
    "/v2/models/m/inferx",
    "/v2/models/m/explain",
    "/v2/model/m",
    "/v1/models",
    "/v1/models/m:predict",
    "/v2/models/m/n/infer",
    "/metrics/",
    "/v2%2Fmodels",
    "/v2/models/../infer/",
    "http://evil/v2",
    "/v2/health/live%00",
    "/v2/{m}",
    "/v2/systemsharedmemory",
    "/v2/systemsharedmemory/",
    "/v2/systemsharedmemory/register",
    "/v2/systemsharedmemory/region/status",
    "/v2/systemsharedmemory/region//status",
    "/v2/systemsharedmemory/region/a",
    "/v2/systemsharedmemory/region/a/b/status",
    "/v2/cudasharedmemory/region/a/status/",
};

LOOP_TEST(route_answers_404_to_any_other_path, COUNT(unknown))
{
    struct api_reply reply = {0};
    struct api_route route;
    char text[200];

    ck_assert(!api_route("GET", unknown[_i], &route, &reply));
    ck_assert_str_eq(route.label, "none");
    ck_assert_int_eq(route.id, API_ROUTE_NONE);
    api_reply_free(&reply);
    snprintf(text, sizeof(text), "no route %s: GET /v2/models lists the models",
             unknown[_i]);
    assert_answer_refused(ask_get(unknown[_i]), 404, text,
                          "POST /v2/models/{model}/infer", NULL);
}

UNIT_TEST(route_shows_a_long_or_odd_path_as_valid_json)
{
    char path[4000];

    memset(path, 'a', sizeof(path));
    path[0] = '/';
    path[sizeof(path) - 1] = '\0';
    assert_answer_refused(ask_get(path), 404, "no route /aaaa",
                          "aaa...: GET /v2/models lists", NULL);
    assert_answer_refused(ask_get("/\xFF\x80\"\\\n\x1B[31m"), 404,
                          "no route /\xEF\xBF\xBD\xEF\xBF\xBD\"\\\n\x1B[31m",
                          NULL);
}

UNIT_TEST(route_order_is_path_then_method_then_model)
{
    assert_answer_refused(ask(&(struct ask){.method = "PUT", .path = "/x"}),
                          404, "no route", NULL);
    assert_answer_refused(ask_get("/v2/models/none/infer"), 405, "POST", NULL);
    assert_answer_refused(ask_get("/v2/models/m/versions/1/infer"), 405,
                          "on /v2/models/{model}/versions/{version}/infer: use",
                          NULL);
    assert_answer_refused(ask_json("none", "{"), 404,
                          "Request for unknown model: 'none' ", NULL);
}
