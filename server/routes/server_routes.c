#include "server/routes/server_routes.h"

#include <stdlib.h>

#include "server/metrics/metrics_text.h"

static void print_metrics(FILE *out, const struct job *job, const void *total)
{
    struct job_context *context = job->context;
    const struct budget *budget = &context->budget;
    const struct memory_plan *plan = &context->memory;
    const struct metrics_bytes memory[] = {
        {"base", (uint64_t)plan->base},
        {"connections", (uint64_t)plan->connections},
        {"inflight", (uint64_t)plan->inflight},
        {"json", (uint64_t)plan->json},
        {"total", (uint64_t)plan->total},
        {"limit", (uint64_t)plan->limit},
        {NULL, 0}};
    const struct metrics_bytes uses[] = {
        {"leased", budget_requests(budget)},
        {"sockets", atomic_load(&budget->spare)},
        {"kept", atomic_load(&budget->kept)},
        {"limit", budget->limit},
        {NULL, 0}};
    struct metrics_gauges gauges = {
        .connections = atomic_load(context->connections),
        .inflight_bytes = budget_requests(budget),
        .log_dropped = atomic_load(&context->log->dropped),
        .log_held_back = atomic_load(&context->log->held_back),
        .simd = context->simd,
        .started = context->started,
        .memory = memory,
        .budget = uses,
    };

    workers_waiting(&context->workers, gauges.queue_depth);
    metrics_text_print(out, total, &gauges, job->request.models);
}

/* The sum of all loops' counters. */
static void answer_metrics(struct job *job)
{
    const struct job_context *context = job->context;
    struct metrics *total = calloc(1, sizeof(*total));

    if (!total) {
        job_fail_memory(job, "the metrics");
        return;
    }
    for (int i = 0; i < context->metrics_count; i++)
        metrics_merge(total, context->metrics[i]);
    job_reply_text(job, print_metrics, total,
                   "text/plain; version=0.0.4; charset=utf-8", "the metrics");
    free(total);
}

/* Changes the settings that the body names; the reply is all settings. */
static void answer_logging(struct job *job)
{
    struct log *log = job->context->log;
    struct api_logging logging = {
        .error = log_wants(log, LOG_ERROR),
        .warning = log_wants(log, LOG_WARNING),
        .info = log_wants(log, LOG_INFO),
        .verbose = atomic_load(&log->verbose),
        .json = atomic_load(&log->json),
    };

    if (!coded_body_inflate(job) ||
        !api_logging_update(&job->request, &logging, &job->reply))
        return;
    atomic_store(&log->levels, (unsigned)logging.error << LOG_ERROR |
                                   (unsigned)logging.warning << LOG_WARNING |
                                   (unsigned)logging.info << LOG_INFO |
                                   (unsigned)(logging.verbose > 0)
                                       << LOG_DEBUG);
    atomic_store(&log->verbose, logging.verbose);
    atomic_store(&log->json, logging.json);
}

bool server_routes_answer(struct job *job, const struct api_route *route)
{
    switch (route->id) {
    case API_ROUTE_METRICS:
        answer_metrics(job);
        break;
    case API_ROUTE_STATISTICS:
        statistics_route_answer(job, route);
        break;
    case API_ROUTE_LOGGING:
        answer_logging(job);
        break;
    case API_ROUTE_SHM_STATUS:
    case API_ROUTE_SHM_REGISTER:
    case API_ROUTE_SHM_UNREGISTER:
        shm_routes_answer(job, route, false);
        break;
    case API_ROUTE_CUDA_STATUS:
    case API_ROUTE_CUDA_REGISTER:
    case API_ROUTE_CUDA_UNREGISTER:
        shm_routes_answer(job, route, true);
        break;
    default:
        return false;
    }
    coded_reply_deflate(job);
    return true;
}
