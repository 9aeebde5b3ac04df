#include "server/routes/logging_route.h"

#include "server/jobs/content_coding_read.h"

void logging_route_answer(struct job *job)
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
        api_logging_update(&job->request, &wanted, &job->reply))
        log_set_settings(log, &(struct log_settings){
                                  .error = wanted.error,
                                  .warning = wanted.warning,
                                  .info = wanted.info,
                                  .verbose = wanted.verbose,
                                  .json = wanted.json,
                              });
}
