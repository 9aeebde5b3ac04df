#include <inttypes.h>
#include <stddef.h>

#include "server/metrics/metrics_text.h"

enum { LABELS_SIZE = API_MODEL_NAME_MAX + 80 };

/* A metric with one value for each model: a counter in struct model_counts. */
#define COUNTER(member) offsetof(struct model_counts, member), 1
#define TIME_US(member) offsetof(struct model_counts, member), 1000
static const struct metric {
    const char *name, *type, *help;
    size_t offset;
    unsigned divisor;
} rows[] = {
    {"nv_inference_request_success", "counter",
     "Inference requests that succeeded", COUNTER(success)},
    {"nv_inference_count", "counter",
     "Inferences: one for each request, whatever its batch size",
     COUNTER(success)},
    {"nv_inference_exec_count", "counter", "Executions: one for each request",
     COUNTER(success)},
    {"nv_inference_request_duration_us", "counter",
     "Time from the whole body to the end of the reply, of successes",
     TIME_US(success_ns)},
    {"nv_inference_queue_duration_us", "counter", "Waiting for a worker",
     TIME_US(stages[MODEL_QUEUE].sum_ns)},
    {"nv_inference_compute_input_duration_us", "counter",
     "Reading and checking", TIME_US(stages[MODEL_INPUT].sum_ns)},
    {"nv_inference_compute_infer_duration_us", "counter", "Moving the data",
     TIME_US(stages[MODEL_INFER].sum_ns)},
    {"nv_inference_compute_output_duration_us", "counter",
     "Handing the reply to the connection",
     TIME_US(stages[MODEL_OUTPUT].sum_ns)},
    {"nv_inference_pending_request_count", "gauge",
     "Requests queued for a worker or executed by one", COUNTER(pending)},
};

static const struct model_counts *counts_of(const struct metrics *total,
                                            const struct model *model)
{
    return &total->models[api_model_slot(model)];
}

static void print_metric(FILE *out, const struct metrics *total,
                         const struct model_set *models,
                         const struct metric *metric)
{
    prometheus_head(out, metric->name, metric->type, metric->help);
    for (size_t i = 0; i < api_models_count(models); i++) {
        const struct model *model = api_models_at(models, i);
        const char *counts = (const char *)counts_of(total, model);
        const void *counter = counts + metric->offset;

        fprintf(out, "%s{model=\"%s\",version=\"%s\"} %" PRIu64 "\n",
                metric->name, api_model_name(model), api_model_version(model),
                counter_value(counter) / metric->divisor);
    }
}

static void print_failures(FILE *out, const struct metrics *total,
                           const struct model *model)
{
    for (int i = 0; i < MODEL_FAILURES; i++)
        fprintf(out,
                "nv_inference_request_failure{model=\"%s\",version=\"%s\","
                "reason=\"%s\"} %" PRIu64 "\n",
                api_model_name(model), api_model_version(model),
                model_failure_labels[i],
                counter_value(&counts_of(total, model)->failures[i]));
}

static void print_stages(FILE *out, const struct metrics *total,
                         const struct model *model)
{
    const struct model_counts *counts = counts_of(total, model);
    char labels[LABELS_SIZE];

    /* Seventy lines a model: left out for a model without requests. */
    if (counter_value(&counts->success) == 0)
        return;
    for (int i = 0; i < MODEL_STAGES; i++) {
        snprintf(labels, sizeof(labels), "model=\"%s\",stage=\"%s\"",
                 api_model_name(model), model_stage_names[i]);
        prometheus_histogram(out, "flipd_infer_stage_duration_seconds", labels,
                             &counts->stages[i]);
    }
}

void metrics_models_print(FILE *out, const struct metrics *total,
                          const struct model_set *models)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        print_metric(out, total, models, &rows[i]);
    prometheus_head(out, "nv_inference_request_failure", "counter",
                    "Inference requests that failed");
    for (size_t i = 0; i < api_models_count(models); i++)
        print_failures(out, total, api_models_at(models, i));
    prometheus_head(out, "flipd_infer_stage_duration_seconds", "histogram",
                    "Time of successful inferences, by model and stage");
    for (size_t i = 0; i < api_models_count(models); i++)
        print_stages(out, total, api_models_at(models, i));
}
