/* flipd --check: a start without threads and without sockets. */
#include <stdlib.h>
#include <string.h>

#include "server/http/service.h"
#include "server/process/os_setup.h"
#include "server/process/process.h"
#include "server/process/report.h"

static bool check(struct service *service, struct options *options,
                  struct log *log, struct status *st)
{
    struct memory_plan plan;

    if (!os_setup_plan(options, &plan, st))
        return false;
    os_setup_report_files(options, &plan, log);
    if (!service_init(service, options, log, st))
        return false;
    report_memory(log, &plan);
    service_free(service);
    return true;
}

int process_check(const struct options *given)
{
    /* On the heap: too large for a stack. Static: what a failure leaves is not
     * a leak. */
    static struct service *service;
    struct options options = *given;
    struct status st;
    struct log log;
    int code = 1;

    report_open(&log, given);
    report_strays(&log);
    service = calloc(1, sizeof(*service));
    if (!service)
        status_fail(&st, STATUS_NO_MEMORY, "no memory to start");
    if (service && check(service, &options, &log, &st)) {
        log_message(&log, LOG_INFO,
                    "the options and their files are good; nothing is started");
        free(service);
        code = 0;
    } else {
        report_failure(&log, &st);
    }
    log_free(&log);
    return code;
}
