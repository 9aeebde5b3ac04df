#include "server/process/ports.h"

#include <stdlib.h>
#include <string.h>

#include "server/grpc/port.h"
#include "server/process/os_setup.h"

/* --admin-port: health and metrics, with a loop and a connection limit of their
 * own, so that they are served when the main port has no connection left. It is
 * for probes and for Prometheus, on a network of their own: restricted APIs are
 * those of the main port. */
static bool admin_serves(const struct api_route *route)
{
    return strncmp(route->label, "/v2/health/", 11) == 0 ||
           strcmp(route->label, "/metrics") == 0;
}

bool ports_has_grpc(const struct options *options)
{
    return options->grpc_port >= 0;
}

bool ports_read_given(struct ports *ports, struct options *options,
                      struct status *st)
{
    const struct activation_variables variables = {
        getenv("LISTEN_PID"), getenv("LISTEN_FDS"), getenv("LISTEN_FDNAMES")};

    if (!activation_read(&ports->given, &variables, ACTIVATION_FIRST, st))
        return false;
    if (ports->given.admin >= 0 && !options->admin_port)
        options->admin_port = 1; /* any: it is only said to be there */
    return true;
}

static bool init_http(struct ports *ports, struct service *service,
                      uv_loop_t *uv, struct drain *drain)
{
    const struct job_context *jobs = &service->jobs;
    const struct listener_profile profile = {
        .limit = (size_t)jobs->options->max_connections,
        .waiting = (size_t)jobs->memory.waiting_count,
        .tls = service->tls.on,
        .counted = true,
        .phase = &service->phase,
        .on_loop_done = drain_loop_done,
        .on_loop_done_context = drain,
    };

    return acceptor_init(&ports->http, service, &profile, uv);
}

/* --grpc-port: the same service by another protocol, on the same loops. */
static bool init_grpc(struct ports *ports, struct service *service,
                      uv_loop_t *uv)
{
    struct listener_profile profile = ports->http.profile;

    if (!ports_has_grpc(service->jobs.options))
        return true;
    profile.is_guest = true;
    if (!acceptor_init(&ports->grpc, service, &profile, uv))
        return false;
    acceptor_pair(&ports->grpc, &ports->http);
    service->guest = &guest_grpc;
    service->guest_profile = &ports->grpc.profile;
    return true;
}

static bool init_admin(struct ports *ports, struct service *service,
                       uv_loop_t *uv)
{
    struct listener_profile profile = ports->http.profile;

    profile.limit = (size_t)os_setup_admin_connections(service->jobs.options);
    profile.waiting = 1;
    profile.tls = profile.counted = false;
    profile.unrestricted = true;
    profile.phase = &ports->admin_phase;
    profile.serves = admin_serves;
    profile.not_served = "this is the admin port: /v2/health/live, "
                         "/v2/health/ready, /healthz and /metrics are all "
                         "there is";
    return acceptor_init(&ports->admin, service, &profile, uv);
}

/* `given`: an open socket or -1. */
static bool listen_on(struct acceptor *acceptor, int given,
                      enum listen_port port, struct status *st)
{
    const struct options *options = acceptor->service->jobs.options;

    if (given >= 0)
        return acceptor_adopt(acceptor, given, st);
    return listen_parse(options, port, &acceptor->address, st) &&
           acceptor_listen(acceptor, st);
}

bool ports_open(struct ports *ports, struct service *service, uv_loop_t *uv,
                struct drain *drain, struct status *st)
{
    const struct options *options = service->jobs.options;
    const struct activation *given = &ports->given;

    if (!init_http(ports, service, uv, drain) ||
        !init_grpc(ports, service, uv) || !init_admin(ports, service, uv))
        return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    return (!options->admin_port ||
            listen_on(&ports->admin, given->admin, LISTEN_ADMIN, st)) &&
           (!ports_has_grpc(options) ||
            listen_on(&ports->grpc, -1, LISTEN_GRPC, st)) &&
           listen_on(&ports->http, given->http, LISTEN_HTTP, st);
}

bool ports_start(struct ports *ports, const struct options *options,
                 struct status *st)
{
    int loop_count = (int)options->http_thread_count;

    if (!acceptor_start_loops(&ports->http, 0, loop_count, st))
        return false;
    if (ports_has_grpc(options))
        acceptor_share_loops(&ports->grpc);
    if (!acceptor_start(&ports->http, st) ||
        (ports_has_grpc(options) && !acceptor_start(&ports->grpc, st)))
        return false;
    if (!options->admin_port)
        return true;
    return acceptor_start_loops(&ports->admin, loop_count, 1, st) &&
           acceptor_start(&ports->admin, st);
}

void ports_join(struct ports *ports, const struct options *options)
{
    acceptor_join(&ports->http);
    acceptor_join(&ports->admin);
    if (ports_has_grpc(options))
        acceptor_join(&ports->grpc);
}
