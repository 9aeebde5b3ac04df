#include "server/routes/metrics_route.h"

#include <stdlib.h>

#include "server/metrics/metrics_text.h"

static char *render(const struct job_context *context,
                    const struct model_set *models, size_t *len)
{
    struct metrics *total = calloc(1, sizeof(*total));
    struct metrics_gauges gauges = {
        .connections = atomic_load(context->connections),
        .inflight_bytes = atomic_load(&context->admission.bytes),
        .queue_depth = atomic_load(&context->admission.queued),
        .log_dropped = atomic_load(&context->log->dropped),
    };
    char *text = NULL;

    if (!total)
        return NULL;
    for (int i = 0; i < context->metrics_count; i++)
        metrics_merge(total, context->metrics[i]);
    text = metrics_text_render(total, &gauges, models, len);
    free(total);
    return text;
}

void metrics_route_answer(struct job *job)
{
    size_t len = 0;
    char *text = render(job->context, job->request.models, &len);

    job_reply_text(job, text, len, "text/plain; version=0.0.4; charset=utf-8",
                   "the metrics");
}
