#include "server/metrics/metrics_models.h"

#include <inttypes.h>

#include "server/metrics/counter.h"
#include "server/metrics/prometheus.h"

enum { LABELS_SIZE = API_MODEL_NAME_MAX + 80 };

/* A metric with one value for each model. */
struct metric {
    const char *name, *type, *help;
    uint64_t (*read)(const struct model_counts *counts);
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

        fprintf(out, "%s{model=\"%s\",version=\"%s\"} %" PRIu64 "\n",
                metric->name, api_model_name(model), api_model_version(model),
                metric->read(counts_of(total, model)));
    }
}

static uint64_t success(const struct model_counts *counts)
{
    return counter_value(&counts->success);
}

static uint64_t pending(const struct model_counts *counts)
{
    return counter_value(&counts->pending);
}

static uint64_t success_us(const struct model_counts *counts)
{
    return counter_value(&counts->success_ns) / 1000;
}

static uint64_t queue_us(const struct model_counts *counts)
{
    return counter_value(&counts->stage_ns[MODEL_QUEUE]) / 1000;
}

static uint64_t input_us(const struct model_counts *counts)
{
    return counter_value(&counts->stage_ns[MODEL_INPUT]) / 1000;
}

static uint64_t infer_us(const struct model_counts *counts)
{
    return counter_value(&counts->stage_ns[MODEL_INFER]) / 1000;
}

static uint64_t output_us(const struct model_counts *counts)
{
    return counter_value(&counts->stage_ns[MODEL_OUTPUT]) / 1000;
}

static const struct metric rows[] = {
    {"nv_inference_request_success", "counter",
     "Inference requests that succeeded", success},
    {"nv_inference_count", "counter",
     "Inferences: one for each request, whatever its batch size", success},
    {"nv_inference_exec_count", "counter", "Executions: one for each request",
     success},
    {"nv_inference_request_duration_us", "counter",
     "Time from the whole body to the end of the reply, of successes",
     success_us},
    {"nv_inference_queue_duration_us", "counter", "Waiting for a worker",
     queue_us},
    {"nv_inference_compute_input_duration_us", "counter",
     "Reading and checking", input_us},
    {"nv_inference_compute_infer_duration_us", "counter", "Moving the data",
     infer_us},
    {"nv_inference_compute_output_duration_us", "counter",
     "Handing the reply to the connection", output_us},
    {"nv_inference_pending_request_count", "gauge",
     "Requests queued for a worker or executed by one", pending},
};

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
    if (success(counts) == 0)
        return;
    for (int i = 0; i < MODEL_STAGES; i++) {
        snprintf(labels, sizeof(labels), "model=\"%s\",stage=\"%s\"",
                 api_model_name(model), model_stage_labels[i]);
        prometheus_histogram(out, "flipd_request_seconds", labels,
                             counts->stages[i],
                             (double)counter_value(&counts->stage_ns[i]) / 1e9);
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
    prometheus_head(out, "flipd_request_seconds", "histogram",
                    "Successful requests by stage");
    for (size_t i = 0; i < api_models_count(models); i++)
        print_stages(out, total, api_models_at(models, i));
}
