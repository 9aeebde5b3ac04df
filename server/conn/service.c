#include "server/conn/service.h"

#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/message/origin.h"

/* Without a limit connections are counted as well, for their fair share. */
static size_t find_address_limit(const struct options *options)
{
    return (size_t)(options->max_connections_per_address
                        ? options->max_connections_per_address
                        : options->max_connections);
}

void service_note_tls(struct service *service, bool ok)
{
    reload_note(&service->jobs.tls_reload, ok);
    atomic_store(&service->jobs.certificate_expiry, tls_expiry(&service->tls));
}

bool service_init(struct service *service, const struct options *options,
                  struct log *log, struct status *st)
{
    if (getrandom(&service->instance, sizeof(service->instance),
                  GRND_NONBLOCK) < 0)
        service->instance = (uint32_t)getpid();
    if (!job_context_init(&service->jobs, options, log, st) ||
        !address_limit_init(&service->address_limit,
                            find_address_limit(options),
                            (size_t)options->max_connections, st) ||
        !tls_init(&service->tls, options, log, st) ||
        !route_auth_init(&service->route_auth, options, st) ||
        !origin_check(options->cors_allow_origin, st))
        return false;
    if (service->tls.on)
        service_note_tls(service, true);
    workers_init(&service->workers, &service->jobs);
    service->jobs.connections = &service->connections;
    /* Of the loops, the admin port's among them, and of three acceptors. */
    service->jobs.metrics = calloc((size_t)options->http_thread_count + 4,
                                   sizeof(service->jobs.metrics[0]));
    return service->jobs.metrics ||
           status_fail(st, STATUS_NO_MEMORY, "no memory to start");
}

void service_note_cut(struct service *service)
{
    if (!atomic_exchange(&service->has_cut, true))
        log_message(service->jobs.log, LOG_WARNING,
                    "cutting off running requests");
}

void service_free(struct service *service)
{
    workers_stop(&service->workers);
    job_context_free(&service->jobs);
    address_limit_free(&service->address_limit);
    tls_free(&service->tls);
    free(service->jobs.metrics);
}
