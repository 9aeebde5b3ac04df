#include "server/http/service.h"

#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/message/origin.h"

/* Without the I/O adapter the daemon runs, but slower and without TLS. */
static enum io_mode find_io_mode(struct log *log)
{
    const char *missing = NULL;
    enum io_mode mode = io_selftest_run(&missing);

    if (mode == IO_BROKEN)
        log_event(log, LOG_WARNING,
                  "libmicrohttpd bypasses the I/O adapter: "
                  "no fast paths for large bodies, no TLS",
                  {"call", missing, 0});
    return mode;
}

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
    service->io_mode = find_io_mode(log);
    if (getrandom(&service->instance, sizeof(service->instance),
                  GRND_NONBLOCK) < 0)
        service->instance = (uint32_t)getpid();
    if (!job_context_init(&service->jobs, options, log, st) ||
        !address_limit_init(&service->address_limit,
                            find_address_limit(options),
                            (size_t)options->max_connections, st) ||
        !tls_init(&service->tls, options, service->io_mode, log, st) ||
        !route_auth_init(&service->route_auth, options, st) ||
        !origin_check(options->cors_allow_origin, st))
        return false;
    if (service->tls.on)
        service_note_tls(service, true);
    worker_set_up(&service->jobs);
    service->jobs.connections = &service->connections;
    /* Of the loops, the admin port's among them, and of three acceptors. */
    service->jobs.metrics = calloc((size_t)options->http_thread_count + 4,
                                   sizeof(service->jobs.metrics[0]));
    return service->jobs.metrics ||
           status_fail(st, STATUS_NO_MEMORY, "no memory to start");
}

void listener_uncount(struct loop_context *loop,
                      const struct listener_profile *profile,
                      const struct peer *peer, bool left_share)
{
    struct service *service = loop->service;

    atomic_fetch_sub(&loop->open, 1);
    if (profile->counted) {
        if (!left_share)
            address_limit_remove(&service->address_limit, peer);
        atomic_fetch_sub(&service->connections, 1);
    }
    profile->on_closed(profile->on_closed_context);
}

void service_free(struct service *service)
{
    workers_stop(&service->jobs.workers);
    job_context_free(&service->jobs);
    address_limit_free(&service->address_limit);
    route_auth_free(&service->route_auth);
    tls_free(&service->tls);
    free(service->jobs.metrics);
}
