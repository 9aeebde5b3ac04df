#include "server/jobs/scrape.h"

#include <stdlib.h>

#include "server/metrics/metrics_text.h"

static char *render(const struct service *service,
                    const struct model_set *models, size_t *len)
{
    struct metrics *total = calloc(1, sizeof(*total));
    struct metrics_gauges gauges = {
        .connections = atomic_load(&service->connections),
        .inflight_bytes = atomic_load(&service->admission.bytes),
        .queue_depth = atomic_load(&service->admission.queued),
        .log_dropped = atomic_load(&service->log->dropped),
    };
    char *text = NULL;

    if (!total)
        return NULL;
    for (int i = 0; i < service->metrics_count; i++)
        metrics_merge(total, service->metrics[i]);
    text = metrics_text_render(total, &gauges, models, len);
    free(total);
    return text;
}

void scrape_answer(struct job *job)
{
    size_t len = 0;
    char *text = render(job->service, job->request.models, &len);

    job_text(job, text, len, "text/plain; version=0.0.4; charset=utf-8",
             "the metrics");
}
