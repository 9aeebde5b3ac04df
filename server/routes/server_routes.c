#include "server/routes/server_routes.h"

#include <inttypes.h>

#include "server/metrics/metrics.h"
#include "server/routes/metrics_route.h"

/* /v2/logging: changes the settings that the body names; the reply is all
 * settings. */
static void answer_logging(struct job *job, const struct api_route *route)
{
    struct log *log = job->context->log;
    struct api_logging logging = {
        .error = log_wants(log, LOG_ERROR),
        .warning = log_wants(log, LOG_WARNING),
        .info = log_wants(log, LOG_INFO),
        .verbose = atomic_load(&log->verbose),
        .format = atomic_load(&log->json)
                      ? API_LOG_JSON
                      : (enum api_log_format)atomic_load(&log->format),
    };

    (void)route;
    if (!job_inflate(job) ||
        !api_logging_update(&job->request, &logging, &job->reply))
        return;
    atomic_store(&log->levels, (unsigned)logging.error << LOG_ERROR |
                                   (unsigned)logging.warning << LOG_WARNING |
                                   (unsigned)logging.info << LOG_INFO |
                                   (unsigned)(logging.verbose > 0)
                                       << LOG_DEBUG);
    atomic_store(&log->verbose, logging.verbose);
    atomic_store(&log->format, logging.format);
    atomic_store(&log->json, logging.format == API_LOG_JSON);
}

static void reply_empty(struct job *job)
{
    static const char empty[] = "{}";

    job->reply = (struct api_reply){
        .status = 200,
        .content_type = "application/json",
        .piece_count = 1,
        .pieces = {{empty, sizeof(empty) - 1}},
    };
}

static bool refuse_unknown(const char *name, struct status *st)
{
    return status_fail(st, STATUS_NOT_FOUND,
                       "no shared memory region '%.64s' is registered", name);
}

static bool list_regions(struct job *job, const char *name, struct status *st)
{
    struct api_shm_part list[SHM_MAX_REGIONS];
    size_t count = shm_list(&job->context->shm, name, list);

    if (name && count == 0)
        return refuse_unknown(name, st);
    api_shm_list(list, count, &job->reply);
    return true;
}

static bool register_region(struct job *job, const struct api_route *route,
                            struct status *st)
{
    struct api_shm_part part;

    if (!api_shm_part_read(&job->request, route, &part, st) ||
        !shm_register(&job->context->shm, &part, st))
        return false;
    log_event(job->context->log, LOG_INFO, "shared memory registered",
              {"region", part.name, 0}, {"key", part.key, 0},
              {"offset", NULL, (int64_t)part.offset},
              {"bytes", NULL, (int64_t)part.bytes});
    reply_empty(job);
    return true;
}

static bool unregister(struct job *job, const char *name)
{
    shm_unregister(&job->context->shm, name);
    log_event(job->context->log, LOG_INFO, "shared memory unregistered",
              {"region", name ? name : "*", 0});
    reply_empty(job);
    return true;
}

/* There is no CUDA shared memory: to register it is an error; to unregister is
 * not, because clients unregister all regions before they start. */
static bool run_regions(struct job *job, const struct api_route *route,
                        struct status *st)
{
    char text[API_SHM_NAME];
    const char *name = route->region.len > 0 ? text : NULL; /* NULL: all */

    if (name && !api_shm_name(job->request.path, route, text, st))
        return false;
    switch (route->id) {
    case API_ROUTE_SHM_REGISTER:
        return register_region(job, route, st);
    case API_ROUTE_SHM_STATUS:
        return list_regions(job, name, st);
    case API_ROUTE_SHM_UNREGISTER:
        return unregister(job, name);
    case API_ROUTE_CUDA_REGISTER:
        return status_fail(st, STATUS_NOT_SUPPORTED,
                           "there is no CUDA shared memory: flipd computes "
                           "without a GPU");
    case API_ROUTE_CUDA_STATUS:
        if (name)
            return refuse_unknown(name, st);
        api_shm_list(NULL, 0, &job->reply);
        return true;
    default:
        reply_empty(job);
        return true;
    }
}

/* The shared memory extensions of CUDA and, where it is on, of the system. */
static void answer_regions(struct job *job, const struct api_route *route)
{
    bool is_cuda = route->id >= API_ROUTE_CUDA_STATUS;
    struct status st;

    if (is_cuda || job->context->shm.enabled) {
        if ((!is_cuda && !job_inflate(job)) || run_regions(job, route, &st))
            return;
    } else if (route->id == API_ROUTE_SHM_STATUS) {
        api_shm_list(NULL, 0, &job->reply);
        return;
    } else {
        status_fail(&st, STATUS_NOT_SUPPORTED,
                    "shared memory is not enabled on this server: it is "
                    "started with --allow-client-shm for that");
    }
    api_reply_status(&job->reply, &st);
}

/* "name":{"count":c,"ns":n}, */
static void print_duration(FILE *out, const char *name, uint64_t count,
                           uint64_t ns)
{
    fprintf(out, "\"%s\":{\"count\":%" PRIu64 ",\"ns\":%" PRIu64 "},", name,
            count, ns);
}

/* As other servers name the stages. */
static const char *const stage_names[MODEL_STAGES] = {
    [MODEL_QUEUE] = "queue",
    [MODEL_INPUT] = "compute_input",
    [MODEL_INFER] = "compute_infer",
    [MODEL_OUTPUT] = "compute_output",
};

/* Names need no escapes: a models file allows letters, digits, '.', '_' and
 * '-'. */
static void print_model(FILE *out, const struct model *model,
                        const struct model_counts *counts)
{
    uint64_t success = counter_value(&counts->success), failures = 0;

    for (int i = 0; i < MODEL_FAILURES; i++)
        failures += counter_value(&counts->failures[i]);
    fprintf(out,
            "{\"name\":\"%s\",\"version\":\"%s\",\"last_inference\":%" PRIu64
            ",\"inference_count\":%" PRIu64 ",\"execution_count\":%" PRIu64
            ",\"inference_stats\":{",
            api_model_name(model), api_model_version(model),
            counter_value(&counts->last_ms), success, success);
    print_duration(out, "success", success, counter_value(&counts->success_ns));
    print_duration(out, "fail", failures, counter_value(&counts->failure_ns));
    for (int i = 0; i < MODEL_STAGES; i++)
        print_duration(out, stage_names[i], success,
                       counter_value(&counts->stages[i].sum_ns));
    fputs("\"cache_hit\":{\"count\":0,\"ns\":0},"
          "\"cache_miss\":{\"count\":0,\"ns\":0}},"
          "\"response_stats\":{},\"batch_stats\":[],\"memory_usage\":[]}",
          out);
}

/* Of the model `only`, or of all. */
static void print_statistics(FILE *out, const struct job *job, const void *only)
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

/* The statistics extension: /v2/models/{model}/stats and /v2/models/stats. */
static void answer_statistics(struct job *job, const struct api_route *route)
{
    const struct model *only = NULL;
    struct status st;

    if (route->model.len > 0) {
        only = api_model_find(&job->request, route, &st);
        if (!only) {
            api_reply_status(&job->reply, &st);
            return;
        }
    }
    job_reply_text(job, print_statistics, only, "application/json",
                   "the statistics");
}

static void (*const answers[API_ROUTE_COUNT])(struct job *job,
                                              const struct api_route *route) = {
    [API_ROUTE_LOGGING] = answer_logging,
    [API_ROUTE_STATISTICS] = answer_statistics,
    [API_ROUTE_METRICS] = metrics_route_answer,
    [API_ROUTE_SHM_STATUS] = answer_regions,
    [API_ROUTE_SHM_REGISTER] = answer_regions,
    [API_ROUTE_SHM_UNREGISTER] = answer_regions,
    [API_ROUTE_CUDA_STATUS] = answer_regions,
    [API_ROUTE_CUDA_REGISTER] = answer_regions,
    [API_ROUTE_CUDA_UNREGISTER] = answer_regions,
};

bool server_routes_answer(struct job *job, const struct api_route *route)
{
    if (!answers[route->id])
        return false;
    answers[route->id](job, route);
    job_deflate(job);
    return true;
}
