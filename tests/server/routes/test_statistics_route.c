#include <string.h>

#include "server/routes/server_routes.h"
#include "tests/server/routes/route_case.h"
#include "tests/unit.h"

static struct model_counts *counts_of(struct metrics *metrics, const char *name)
{
    const struct model_set *models = api_models_builtin();
    size_t i = 0;

    while (strcmp(api_model_name(api_models_at(models, i)), name) != 0)
        i++;
    return &metrics->models[api_model_slot(api_models_at(models, i))];
}

/* Every counter has a value of its own. */
UNIT_TEST(statistics_are_the_sums_of_all_loops)
{
    struct model_counts *a =
        counts_of(&route_case.parts[0], "openvino.Reverse");
    struct model_counts *b =
        counts_of(&route_case.parts[1], "openvino.Reverse");

    for (int i = 0; i < MODEL_FAILURES; i++)
        atomic_store(&a->failures[i], 1u << i);
    atomic_store(&b->failures[MODEL_OTHER], 100);
    atomic_store(&a->failure_ns, 1000);
    atomic_store(&b->failure_ns, 2);
    atomic_store(&a->success, 5);
    atomic_store(&b->success, 7);
    atomic_store(&a->success_ns, 40000);
    atomic_store(&b->success_ns, 2);
    atomic_store(&a->last_ms, 1770091506789);
    atomic_store(&b->last_ms, 1770091506788);
    for (int i = 0; i < MODEL_STAGES; i++) {
        atomic_store(&a->stages[i].sum_ns, 10u + (unsigned)i);
        atomic_store(&b->stages[i].sum_ns, 100u);
    }
    ck_assert_str_eq(
        route_case_get("/v2/models/openvino.Reverse/stats"),
        "{\"model_stats\":[{\"name\":\"openvino.Reverse\",\"version\":\"1\","
        "\"last_inference\":1770091506789,\"inference_count\":12,"
        "\"execution_count\":12,\"inference_stats\":{"
        "\"success\":{\"count\":12,\"ns\":40002},"
        "\"fail\":{\"count\":115,\"ns\":1002},"
        "\"queue\":{\"count\":12,\"ns\":110},"
        "\"compute_input\":{\"count\":12,\"ns\":111},"
        "\"compute_infer\":{\"count\":12,\"ns\":112},"
        "\"compute_output\":{\"count\":12,\"ns\":113},"
        "\"cache_hit\":{\"count\":0,\"ns\":0},"
        "\"cache_miss\":{\"count\":0,\"ns\":0}},"
        "\"response_stats\":{},\"batch_stats\":[],\"memory_usage\":[]}]}");
}

UNIT_TEST(statistics_of_all_models_name_each_once)
{
    const struct model_set *models = api_models_builtin();
    const char *text = route_case_get("/v2/models/stats"), *at = text;

    for (size_t i = 0; i < api_models_count(models); i++) {
        at = strstr(at, "{\"name\":\"");
        ck_assert_ptr_nonnull(at);
        ck_assert_int_eq(at[-1], i ? ',' : '[');
        at += strlen("{\"name\":\"");
        ck_assert_int_eq(strncmp(at, api_model_name(api_models_at(models, i)),
                                 strcspn(at, "\"")),
                         0);
    }
    ck_assert_ptr_null(strstr(at, "{\"name\""));
    ck_assert_str_eq(text + strlen(text) - 3, "}]}");
}

static const char *const unknown[] = {
    "/v2/models/nothing/stats",
    "/v2/models/openvino.Reverse/versions/2/stats",
};

LOOP_TEST(statistics_of_an_unknown_model_are_404, COUNT(unknown))
{
    int status;
    const char *text = route_case_ask(unknown[_i], "", "GET", &status);

    ck_assert_int_eq(status, 404);
    ck_assert_int_eq(strncmp(text, "{\"error\":\"", 10), 0);
}

/* As other replies, it is compressed for a client that asks for that. */
UNIT_TEST(statistics_are_coded_where_that_is_wanted)
{
    struct job *job = &route_case.job;
    struct api_reply reply;
    struct api_route route;
    struct lease lease;

    budget_init(&route_case.context.budget, 1 << 20, 0);
    lease_init(&lease, &route_case.context.budget, NULL);
    job->lease = &lease;
    job->reply_coding = CODING_GZIP;
    ck_assert(api_route("GET", "/v2/models/stats", &route, &reply));
    ck_assert(server_routes_answer(job, &route));
    ck_assert(job->coded);
    ck_assert_int_eq(memcmp(job->reply.pieces[0].data, "\037\213", 2), 0);
    job_clear(job);
    budget_free(&route_case.context.budget);
}

FIXTURE(route_case_open, NULL)
