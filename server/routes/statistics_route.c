#include <inttypes.h>

#include "server/routes/server_routes.h"

/* "name":{"count":c,"ns":n}, */
static void print_duration(FILE *out, const char *name, uint64_t count,
                           uint64_t ns)
{
    fprintf(out, "\"%s\":{\"count\":%" PRIu64 ",\"ns\":%" PRIu64 "},", name,
            count, ns);
}

static uint64_t count_failures(const struct model_counts *counts)
{
    uint64_t sum = 0;

    for (int i = 0; i < MODEL_FAILURES; i++)
        sum += counter_value(&counts->failures[i]);
    return sum;
}

static void print_inference(FILE *out, const struct model_counts *counts)
{
    uint64_t success = counter_value(&counts->success);

    fputs("\"inference_stats\":{", out);
    print_duration(out, "success", success, counter_value(&counts->success_ns));
    print_duration(out, "fail", count_failures(counts),
                   counter_value(&counts->failure_ns));
    for (int i = 0; i < MODEL_STAGES; i++)
        print_duration(out, model_stage_statistics[i], success,
                       counter_value(&counts->stages[i].sum_ns));
    fputs("\"cache_hit\":{\"count\":0,\"ns\":0},"
          "\"cache_miss\":{\"count\":0,\"ns\":0}}",
          out);
}

/* Names need no escapes: a models file allows letters, digits, '.', '_' and
 * '-'. */
static void print_model(FILE *out, const struct model *model,
                        const struct model_counts *counts)
{
    uint64_t success = counter_value(&counts->success);

    fprintf(out,
            "{\"name\":\"%s\",\"version\":\"%s\",\"last_inference\":%" PRIu64
            ",\"inference_count\":%" PRIu64 ",\"execution_count\":%" PRIu64 ",",
            api_model_name(model), api_model_version(model),
            counter_value(&counts->last_ms), success, success);
    print_inference(out, counts);
    fputs(",\"response_stats\":{},\"batch_stats\":[],\"memory_usage\":[]}",
          out);
}

/* Of the model `only`, or of all. */
static void print_all(FILE *out, const struct job *job, const void *only)
{
    const struct job_context *context = job->context;
    const struct model_set *models = job->request.models;
    const char *comma = "";

    fputs("{\"model_stats\":[", out);
    for (size_t i = 0; i < api_models_count(models); i++) {
        const struct model *model = api_models_at(models, i);
        struct model_counts counts = {0};

        if (only && model != only)
            continue;
        for (int j = 0; j < context->metrics_count; j++)
            model_counts_merge(
                &counts, &context->metrics[j]->models[api_model_slot(model)]);
        fputs(comma, out);
        print_model(out, model, &counts);
        comma = ",";
    }
    fputs("]}", out);
}

void statistics_route_answer(struct job *job, const struct api_route *route)
{
    const struct model *only = NULL;
    struct status st;

    if (route->model_len > 0) {
        only = api_model_find(&job->request, route, &st);
        if (!only) {
            api_reply_status(&job->reply, &st);
            return;
        }
    }
    job_reply_text(job, print_all, only, "application/json", "the statistics");
}
