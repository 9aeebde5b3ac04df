#include "server/process/report.h"

#include <stdio.h>
#include <unistd.h>

#include "server/config/options.h"

void report_open(struct log *log, const struct options *options)
{
    log_init(log, STDERR_FILENO, (enum log_level)options->log_level,
             options->log_format == OPTIONS_LOG_JSON);
}

void report_strays(struct log *log)
{
    struct option_stray stray;
    size_t at = 0;

    while (options_stray(environ, &at, &stray))
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

void report_port(const struct acceptor *acceptor, const char *what)
{
    char address[LISTEN_TEXT_SIZE], text[LISTEN_TEXT_SIZE + 16];
    char url[LISTEN_TEXT_SIZE + 16];
    struct log_field fields[3] = {{NULL, NULL, 0}};
    int count = 0;

    listen_text(&acceptor->address, address);
    snprintf(text, sizeof(text), "%s %s", what, address);
    snprintf(url, sizeof(url), "%s://%s",
             acceptor->profile.tls ? "https" : "http", address);
    if (acceptor->address.port >= 0)
        fields[count++] = (struct log_field){"url", url, 0};
    if (acceptor->address.is_borrowed)
        fields[count++] = (struct log_field){"from", "service manager", 0};
    log_write(acceptor->service->jobs.log, LOG_INFO, text, fields);
}

void report_failure(struct log *log, const struct status *st)
{
    log_event(log, LOG_ERROR, "cannot start", {"reason", st->message, 0});
}
