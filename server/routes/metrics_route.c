#include <stdlib.h>

#include "server/metrics/metrics_text.h"
#include "server/routes/server_routes.h"

/* The state of what all jobs share. */
static struct metrics_gauges read_gauges(struct job_context *context)
{
    const struct budget *budget = &context->budget;
    const struct memory_plan *plan = &context->memory;
    struct metrics_gauges gauges = {
        .connections = atomic_load(context->connections),
        .inflight_bytes = budget_requests(budget),
        .budget = {budget_requests(budget), atomic_load(&budget->spare),
                   atomic_load(&budget->kept), budget->limit},
        .memory = {(size_t)plan->base, (size_t)plan->connections,
                   (size_t)plan->waiting, (size_t)plan->inflight,
                   (size_t)plan->json, (size_t)plan->total,
                   (size_t)plan->limit},
        .log_dropped = atomic_load(&context->log->dropped),
        .log_held_back = atomic_load(&context->log->held_back),
        .simd = context->simd,
        .started = context->started,
        .options = context->options,
        .reloads = {&context->models.reload, &context->tls_reload},
        .certificate_expiry = atomic_load(&context->certificate_expiry),
    };

    workers_waiting(&context->workers, gauges.queue_depth);
    workers_threads(&context->workers, gauges.workers, gauges.workers_busy);
    return gauges;
}

static void print(FILE *out, const struct job *job, const void *total)
{
    struct metrics_gauges gauges = read_gauges(job->context);

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
