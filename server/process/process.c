#include "server/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/grpc/guest.h"
#include "server/net/acceptor.h"
#include "server/process/drain.h"
#include "server/process/housekeeping.h"
#include "server/process/os_setup.h"
#include "server/process/report.h"
#include "server/process/supervision.h"
#include "server/systemd/activation.h"

/* All state of a running daemon. On the heap: the counters are too large for a
 * stack. */
struct server {
    struct log log;
    struct options options; /* with what the memory plan derived */
    struct service service;
    struct acceptor port, admin; /* of --http-port and --admin-port */
    struct acceptor grpc;        /* of --grpc-port */
    atomic_int admin_phase;      /* enum service_phase */
    struct drain drain;
    uv_loop_t uv;
    struct housekeeping housekeeping;
    struct supervision supervision;
    struct activation given; /* sockets that the service manager has opened */
};

/* --admin-port: health and metrics, with a loop and a connection limit of their
 * own, so that they are served when the main port has no connection left. It is
 * for probes and for Prometheus, on a network of their own: restricted APIs are
 * those of the main port. */
static bool admin_serves(const struct api_route *route)
{
    return strncmp(route->label, "/v2/health/", 11) == 0 ||
           strcmp(route->label, "/metrics") == 0;
}

static bool has_grpc(const struct server *server)
{
    return server->options.grpc_port >= 0;
}

/* --grpc-port: the same service by another protocol, on the same loops. */
static bool init_grpc(struct server *server, struct listener_profile profile)
{
    if (!has_grpc(server))
        return true;
    profile.is_guest = true;
    if (!acceptor_init(&server->grpc, &server->service, &profile, &server->uv))
        return false;
    acceptor_pair(&server->grpc, &server->port);
    server->service.guest = &guest_grpc;
    server->service.guest_profile = &server->grpc.profile;
    return true;
}

static bool init_ports(struct server *server, struct status *st)
{
    struct service *service = &server->service;
    struct listener_profile profile = {
        .limit = (size_t)service->jobs.options->max_connections,
        .waiting = (size_t)service->jobs.memory.waiting_count,
        .tls = service->tls.on,
        .counted = true,
        .phase = &service->phase,
        .on_loop_done = drain_loop_done,
        .on_loop_done_context = &server->drain,
    };

    if (!acceptor_init(&server->port, service, &profile, &server->uv) ||
        !init_grpc(server, profile))
        return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    profile.limit = (size_t)os_setup_admin_connections(service->jobs.options);
    profile.waiting = 1;
    profile.tls = profile.counted = false;
    profile.unrestricted = true;
    profile.phase = &server->admin_phase;
    profile.serves = admin_serves;
    profile.not_served = "this is the admin port: /v2/health/live, "
                         "/v2/health/ready, /healthz and /metrics are all "
                         "there is";
    return acceptor_init(&server->admin, service, &profile, &server->uv) ||
           status_fail(st, STATUS_NO_MEMORY, "no memory to start");
}

/* A socket that was opened is a port, whatever the options say of its address.
 */
static bool read_given(struct server *server, struct status *st)
{
    const struct activation_variables variables = {
        getenv("LISTEN_PID"), getenv("LISTEN_FDS"), getenv("LISTEN_FDNAMES")};

    if (!activation_read(&server->given, &variables, ACTIVATION_FIRST, st))
        return false;
    if (server->given.admin >= 0 && !server->options.admin_port)
        server->options.admin_port = 1; /* any: it is only said to be there */
    return true;
}

/* `given`: an open socket or -1. */
static bool listen_on(struct acceptor *acceptor, int given,
                      const struct options *options, struct status *st)
{
    const struct listener_profile *profile = &acceptor->profile;
    enum listen_port port = profile->unrestricted ? LISTEN_ADMIN
                            : profile->is_guest   ? LISTEN_GRPC
                                                  : LISTEN_HTTP;

    if (given >= 0)
        return acceptor_adopt(acceptor, given, st);
    return listen_parse(options, port, &acceptor->address, st) &&
           acceptor_listen(acceptor, st);
}

static bool listen_on_ports(struct server *server,
                            const struct options *options, struct status *st)
{
    return (!options->admin_port ||
            listen_on(&server->admin, server->given.admin, options, st)) &&
           (!has_grpc(server) || listen_on(&server->grpc, -1, options, st)) &&
           listen_on(&server->port, server->given.http, options, st);
}

static bool start_threads(struct server *server, const struct options *options,
                          struct status *st)
{
    int loop_count = (int)options->http_thread_count;

    if (!workers_start(&server->service.jobs.workers, st) ||
        !acceptor_start_loops(&server->port, 0, loop_count, st))
        return false;
    if (has_grpc(server))
        acceptor_share_loops(&server->grpc);
    if (!acceptor_start(&server->port, st) ||
        (has_grpc(server) && !acceptor_start(&server->grpc, st)))
        return false;
    if (!options->admin_port)
        return true;
    return acceptor_start_loops(&server->admin, loop_count, 1, st) &&
           acceptor_start(&server->admin, st);
}

static void announce_admin(struct server *server, const struct options *options)
{
    report_port(&server->admin, "admin port at");
    if (options->http_restricted_api.count > 0)
        log_message(&server->log, LOG_INFO,
                    "restricted APIs are restricted at the main port only; the "
                    "admin port serves health and metrics to whoever reaches "
                    "it");
}

static void announce(struct server *server, const struct options *options)
{
    const struct job_context *jobs = &server->service.jobs;

    if (options->admin_port)
        announce_admin(server, options);
    log_event(&server->log, LOG_INFO, "flipd", {"version", FLIPD_VERSION, 0},
              {"simd_movers", jobs->simd.movers, 0},
              {"simd_json", jobs->simd.json, 0},
              {"loops", NULL, options->http_thread_count},
              {"workers", NULL, options->worker_count},
              {"inline_limit", NULL, options->inline_limit},
              {"max_input", NULL, options->http_max_input_size},
              {"max_inflight", NULL, options->max_inflight_bytes},
              {"max_queue", NULL, options->max_queue_size},
              {"max_connections", NULL, options->max_connections},
              {"kept_buffers", NULL, (int64_t)jobs->buffer_pool.kept.limit});
    report_memory(&server->log, &jobs->memory);
    report_port(&server->port, "listening on");
    if (has_grpc(server))
        report_port(&server->grpc, "gRPC port at");
}

static bool start(struct server *server, const struct options *given,
                  struct status *st)
{
    const struct options *options = &server->options;
    struct memory_plan plan;
    int error = uv_loop_init(&server->uv);

    if (error != 0)
        return status_fail(st, STATUS_NO_MEMORY, "cannot make a loop: %s",
                           uv_strerror(error));
    server->options = *given;
    if (!supervision_init(&server->supervision, &server->log, st) ||
        !read_given(server, st) ||
        !os_setup_plan_memory(&server->options, &plan, st) ||
        !drain_init(&server->drain, &server->uv, &server->port, &server->admin,
                    st) ||
        !service_init(&server->service, options, &server->log, st))
        return false;
    server->service.jobs.memory = plan;
    server->drain.supervision = &server->supervision;
    if (!init_ports(server, st) || !listen_on_ports(server, options, st))
        return false;
    os_setup_raise_fd_limit(options, &plan, &server->log);
    if (!start_threads(server, options, st) ||
        !housekeeping_start(&server->housekeeping, &server->uv,
                            &server->service, &server->supervision, st))
        return false;
    announce(server, options);
    supervision_ready(&server->supervision, &server->port, &server->admin,
                      &server->uv);
    return true;
}

static void finish(struct server *server)
{
    acceptor_join(&server->port);
    acceptor_join(&server->admin);
    if (has_grpc(server))
        acceptor_join(&server->grpc);
    loop_close_uv(&server->uv);
    service_free(&server->service);
    supervision_free(&server->supervision);
    log_message(&server->log, LOG_INFO, "stopped");
    log_free(&server->log);
}

void process_refuse(const struct options *options, const struct status *st)
{
    struct log log;

    if (options->log_format != OPTIONS_LOG_JSON) {
        fprintf(stderr, "flipd: %s\n", st->message);
        return;
    }
    report_open(&log, options);
    report_failure(&log, st);
    log_free(&log);
}

static int run(struct server *server, const struct options *options)
{
    struct status st;
    int code;

    report_open(&server->log, options);
    report_strays(&server->log);
    if (!start(server, options, &st)) {
        /* Nothing is freed: the process ends now. */
        report_failure(&server->log, &st);
        return 1;
    }
    os_setup_guard_start(false, false);
    uv_run(&server->uv, UV_RUN_DEFAULT);
    code = server->drain.machine.has_aborted ? 1 : 0;
    finish(server);
    free(server);
    return code;
}

int process_run(const struct options *options)
{
    /* Static: what a failed start leaves is not a leak. */
    static struct server *server;
    struct status st;

    server = aligned_alloc(_Alignof(struct server), sizeof(*server));
    if (!server) {
        status_fail(&st, STATUS_NO_MEMORY, "no memory to start");
        process_refuse(options, &st);
        return 1;
    }
    memset(server, 0, sizeof(*server));
    os_setup_prepare();
    os_setup_guard_start(true, options->log_format == OPTIONS_LOG_JSON);
    return run(server, options);
}
