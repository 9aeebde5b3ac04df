#include <stdlib.h>

#include "server/metrics/metrics_text.h"
#include "server/routes/server_routes.h"
#include "server/work/workers.h"

/* The state of what all jobs share. */
static struct metrics_gauges read_gauges(struct job_context *context)
{
    struct metrics_gauges gauges = {
        .connections = atomic_load(context->connections),
        .inflight_bytes = budget_requests(&context->budget),
        .log_dropped = atomic_load(&context->log->dropped),
        .log_held_back = atomic_load(&context->log->held_back),
        .simd = context->simd,
        .started = context->started,
        .options = context->options,
        .certificate_expiry = atomic_load(&context->certificate_expiry),
    };

    workers_waiting(context->workers, gauges.queue_depth);
    workers_threads(context->workers, gauges.workers, gauges.workers_busy);
    return gauges;
}

static void print(FILE *out, const struct job *job, const void *total)
{
    struct job_context *context = job->context;
    const struct budget *budget = &context->budget;
    const struct memory_plan *plan = &context->memory;
    const struct metrics_bytes memory[] = {
        {"base", (uint64_t)plan->base},
        {"connections", (uint64_t)plan->connections},
        {"waiting", (uint64_t)plan->waiting},
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
    const struct metrics_reload reloads[] = {
        {"models", &context->models.reload},
        {"tls", &context->tls_reload},
        {NULL, NULL}};
    struct metrics_gauges gauges = read_gauges(context);

    gauges.memory = memory;
    gauges.budget = uses;
    gauges.reloads = reloads;
    metrics_text_print(out, total, &gauges, job->request.models);
}

void metrics_route_answer(struct job *job)
{
    const struct job_context *context = job->context;
    struct metrics *total = calloc(1, sizeof(*total));

    if (!total) {
        job_fail_memory(job, "the metrics");
        return;
    }
    for (int i = 0; i < context->metrics_count; i++)
        metrics_merge(total, context->metrics[i]);
    job_reply_text(job, print, total,
                   "text/plain; version=0.0.4; charset=utf-8", "the metrics");
    free(total);
}
