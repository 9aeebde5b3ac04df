#include "server/own.h"

#include "server/coding.h"
#include "server/scrape.h"
#include "server/shm_answer.h"
#include "server/statistics.h"

static void answer_logging(struct answer *answer)
{
    struct log *log = answer->service->log;
    struct api_logging settings = log_settings(log);

    if (coding_read_body(answer) &&
        api_logging(&answer->request, &settings, &answer->reply))
        log_set(log, &settings);
}

bool own_answer(struct answer *answer, const struct api_route *route)
{
    switch (route->id) {
    case API_ROUTE_METRICS:
        scrape_answer(answer);
        break;
    case API_ROUTE_STATISTICS:
        statistics_answer(answer, route);
        break;
    case API_ROUTE_LOGGING:
        answer_logging(answer);
        break;
    case API_ROUTE_SHM_STATUS:
    case API_ROUTE_SHM_REGISTER:
    case API_ROUTE_SHM_UNREGISTER:
        shm_answer(answer, route);
        break;
    case API_ROUTE_CUDA_STATUS:
    case API_ROUTE_CUDA_REGISTER:
    case API_ROUTE_CUDA_UNREGISTER:
        shm_answer_cuda(answer, route);
        break;
    default:
        return false;
    }
    coding_write_reply(answer);
    return true;
}
