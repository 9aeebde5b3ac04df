#include "server/routes/server_routes.h"

void logging_route_answer(struct job *job)
{
    struct log *log = job->context->log;
    struct api_logging logging = {
        .error = log_wants(log, LOG_ERROR),
        .warning = log_wants(log, LOG_WARNING),
        .info = log_wants(log, LOG_INFO),
        .verbose = atomic_load(&log->verbose),
        .format = atomic_load(&log->json)
                      ? API_LOG_JSON
                      : (enum api_log_format)atomic_load(&log->format),
    };

    if (!job_inflate(job) ||
        !api_logging_update(&job->request, &logging, &job->reply))
        return;
    atomic_store(&log->levels, (unsigned)logging.error << LOG_ERROR |
                                   (unsigned)logging.warning << LOG_WARNING |
                                   (unsigned)logging.info << LOG_INFO |
                                   (unsigned)(logging.verbose > 0)
                                       << LOG_DEBUG);
    atomic_store(&log->verbose, logging.verbose);
    atomic_store(&log->format, logging.format);
    atomic_store(&log->json, logging.format == API_LOG_JSON);
}
