#include "server/routes/server_routes.h"

#include "server/jobs/content_coding_write.h"
#include "server/routes/logging_route.h"
#include "server/routes/metrics_route.h"
#include "server/routes/shm_routes.h"
#include "server/routes/statistics_route.h"

bool server_routes_answer(struct job *job, const struct api_route *route)
{
    switch (route->id) {
    case API_ROUTE_METRICS:
        metrics_route_answer(job);
        break;
    case API_ROUTE_STATISTICS:
        statistics_route_answer(job, route);
        break;
    case API_ROUTE_LOGGING:
        logging_route_answer(job);
        break;
    case API_ROUTE_SHM_STATUS:
    case API_ROUTE_SHM_REGISTER:
    case API_ROUTE_SHM_UNREGISTER:
        shm_routes_answer(job, route);
        break;
    case API_ROUTE_CUDA_STATUS:
    case API_ROUTE_CUDA_REGISTER:
    case API_ROUTE_CUDA_UNREGISTER:
        shm_routes_answer_cuda(job, route);
        break;
    default:
        return false;
    }
    content_coding_write_reply(job);
    return true;
}
