#include "server/process/report.h"

#include <unistd.h>

#include "server/config/option_names.h"

void report_open(struct log *log, const struct options *options)
{
    log_init(log, STDERR_FILENO, (enum log_level)options->log_level,
             options->log_format == OPTIONS_LOG_JSON);
}

void report_strays(struct log *log)
{
    struct option_stray stray;
    size_t at = 0;

    while (option_names_stray(environ, &at, &stray))
        if (stray.is_link)
            log_event(log, LOG_INFO,
                      "this variable describes a service: it sets no option",
                      {"variable", stray.name, 0});
        else
            log_event(
                log, LOG_WARNING, "no option has this variable",
                {"variable", stray.name, 0},
                {*stray.nearest ? "did_you_mean" : NULL, stray.nearest, 0});
}

void report_memory(struct log *log, const struct memory_plan *plan)
{
    log_event(log, LOG_INFO, "memory at most", {"base", NULL, plan->base},
              {"connections", NULL, plan->connections},
              {"per_connection", NULL, plan->per_connection},
              {"waiting", NULL, plan->waiting},
              {"inflight", NULL, plan->inflight}, {"json", NULL, plan->json},
              {"total", NULL, plan->total}, {"limit", NULL, plan->limit});
}

void report_failure(struct log *log, const struct status *st)
{
    log_event(log, LOG_ERROR, "cannot start", {"reason", st->message, 0});
}
