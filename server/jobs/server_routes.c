#include "server/jobs/server_routes.h"

#include "server/jobs/content_coding.h"
#include "server/jobs/scrape.h"
#include "server/jobs/shm_routes.h"
#include "server/jobs/statistics.h"

static void answer_logging(struct job *job)
{
    struct log *log = job->context->log;
    struct log_settings now = log_get_settings(log);
    struct api_logging wanted = {
        .error = now.error,
        .warning = now.warning,
        .info = now.info,
        .verbose = now.verbose,
        .json = now.json,
    };

    if (content_coding_read_body(job) &&
        api_logging(&job->request, &wanted, &job->reply))
        log_set_settings(log, &(struct log_settings){
                                  .error = wanted.error,
                                  .warning = wanted.warning,
                                  .info = wanted.info,
                                  .verbose = wanted.verbose,
                                  .json = wanted.json,
                              });
}

bool server_routes_answer(struct job *job, const struct api_route *route)
{
    switch (route->id) {
    case API_ROUTE_METRICS:
        scrape_answer(job);
        break;
    case API_ROUTE_STATISTICS:
        statistics_answer(job, route);
        break;
    case API_ROUTE_LOGGING:
        answer_logging(job);
        break;
    case API_ROUTE_SHM_STATUS:
    case API_ROUTE_SHM_REGISTER:
    case API_ROUTE_SHM_UNREGISTER:
        shm_answer(job, route);
        break;
    case API_ROUTE_CUDA_STATUS:
    case API_ROUTE_CUDA_REGISTER:
    case API_ROUTE_CUDA_UNREGISTER:
        shm_answer_cuda(job, route);
        break;
    default:
        return false;
    }
    content_coding_write_reply(job);
    return true;
}
