#include <stdlib.h>

#include "api/base/accept.h"
#include "server/metrics/metrics_text.h"
#include "server/routes/server_routes.h"

/* What print() prints, and how. */
struct page {
    struct metrics total; /* of all loops */
    bool openmetrics;
};

static const char text_type[] = "text/plain; version=0.0.4; charset=utf-8";
static const char openmetrics_type[] =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

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

    workers_waiting(&context->workers, gauges.queue_depth);
    workers_threads(&context->workers, gauges.workers, gauges.workers_busy);
    return gauges;
}

static void print(FILE *out, const struct job *job, const void *what)
{
    const struct page *page = what;
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
    metrics_text_print(&(struct prometheus){out, page->openmetrics},
                       &page->total, &gauges, job->request.models);
}

/* Only a client that names it: one that accepts anything gets the older format.
 */
static bool prefers_openmetrics(const char *accept)
{
    static const char *const wanted[] = {"application/openmetrics-text", NULL};
    static const char *const plain[] = {"text/plain", NULL};
    static const char *const any[] = {"text/*", "*/*", NULL};
    static const char *const none[] = {NULL};
    int at, weight;

    if (!accept)
        return false;
    weight = accept_weight(accept, wanted, none, &at);
    return weight > 0 && weight >= accept_weight(accept, plain, any, &at);
}

void metrics_route_answer(struct job *job)
{
    const struct job_context *context = job->context;
    struct page *page = calloc(1, sizeof(*page));

    if (!page) {
        job_fail_memory(job, "the metrics");
        return;
    }
    page->openmetrics = prefers_openmetrics(job->request.accept);
    for (int i = 0; i < context->metrics_count; i++)
        metrics_merge(&page->total, context->metrics[i]);
    job_reply_text(job, print, page,
                   page->openmetrics ? openmetrics_type : text_type,
                   "the metrics");
    free(page);
}
