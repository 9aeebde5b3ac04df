#include <check.h>
#include <string.h>

#include "server/routes/server_routes.h"
#include "tests/suite.h"

static struct job_context context;
static struct metrics parts[2];
static struct metrics *list[] = {&parts[0], &parts[1]};
static struct job job;

static void set_up(void)
{
    memset(parts, 0, sizeof(parts));
    context = (struct job_context){.metrics = list, .metrics_count = 2};
    job_init(&job, &context);
    job.request.models = api_models_builtin();
}

static const char *ask(const char *path)
{
    static char text[8192];
    struct api_reply reply = {.status = 0};
    struct api_route route;

    ck_assert(api_route("GET", path, &route, &reply));
    job.request.method = "GET";
    job.request.path = path;
    ck_assert(server_routes_answer(&job, &route));
    ck_assert_uint_lt(api_reply_bytes(&job.reply), sizeof(text));
    memcpy(text, job.reply.pieces[0].data, job.reply.pieces[0].len);
    text[job.reply.pieces[0].len] = '\0';
    api_reply_free(&job.reply);
    return text;
}

static struct model_counts *counts_of(struct metrics *metrics, const char *name)
{
    const struct model_set *models = api_models_builtin();
    size_t i = 0;

    while (strcmp(api_model_name(api_models_at(models, i)), name) != 0)
        i++;
    return &metrics->models[api_model_slot(api_models_at(models, i))];
}

/* Every counter has a value of its own. */
START_TEST(statistics_are_the_sums_of_all_loops)
{
    struct model_counts *a = counts_of(&parts[0], "openvino.Reverse");
    struct model_counts *b = counts_of(&parts[1], "openvino.Reverse");

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
        ask("/v2/models/openvino.Reverse/stats"),
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
END_TEST

START_TEST(statistics_of_all_models_name_each_once)
{
    const struct model_set *models = api_models_builtin();
    const char *text = ask("/v2/models/stats"), *at = text;

    for (size_t i = 0; i < api_models_count(models); i++) {
        at = strstr(at, "{\"name\":\"");
        ck_assert_ptr_nonnull(at);
        at += strlen("{\"name\":\"");
        ck_assert_int_eq(strncmp(at, api_model_name(api_models_at(models, i)),
                                 strcspn(at, "\"")),
                         0);
    }
    ck_assert_ptr_null(strstr(at, "{\"name\""));
    ck_assert_str_eq(text + strlen(text) - 3, "}]}");
}
END_TEST

START_TEST(statistics_of_an_unknown_model_are_404)
{
    const char *text = ask("/v2/models/nothing/stats");

    ck_assert_int_eq(strncmp(text, "{\"error\":\"", 10), 0);
}
END_TEST

SUITE_WITH("statistics_route", set_up, NULL,
           TEST(statistics_are_the_sums_of_all_loops),
           TEST(statistics_of_all_models_name_each_once),
           TEST(statistics_of_an_unknown_model_are_404))
