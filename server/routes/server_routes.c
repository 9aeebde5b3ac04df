#include "server/routes/server_routes.h"

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
    job_deflate(job);
    return true;
}
