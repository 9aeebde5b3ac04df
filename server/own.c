#include "server/own.h"

#include "server/coding.h"
#include "server/scrape.h"
#include "server/statistics.h"

bool own_answer(struct answer *answer, const struct api_route *route)
{
    switch (route->id) {
    case API_ROUTE_METRICS:
        scrape_answer(answer);
        break;
    case API_ROUTE_STATISTICS:
        statistics_answer(answer, route);
        break;
    default:
        return false;
    }
    coding_write_reply(answer);
    return true;
}
