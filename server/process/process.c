#include "server/process/process.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/conn/service.h"
#include "server/grpc/port.h"
#include "server/http/connection.h"
#include "server/net/acceptor.h"
#include "server/process/drain.h"
#include "server/process/housekeeping.h"
#include "server/process/os_setup.h"
#include "server/process/systemd.h"

/* A log on standard error with the level and the format of the options. */
static void open_log(struct log *log, const struct options *options)
{
    log_init(log, STDERR_FILENO, (enum log_level)options->log_level,
             options->log_format == OPTIONS_LOG_JSON);
}

/* Warns about each variable FLIPD_* of the environment that no option has, and
 * notes those of a Kubernetes service that have an option's name. */
static void report_strays(struct log *log)
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

void process_report_memory(struct log *log, const struct memory_plan *plan)
{
    log_event(log, LOG_INFO, "memory at most", {"base", NULL, plan->base},
              {"connections", NULL, plan->connections},
              {"per_connection", NULL, plan->per_connection},
              {"waiting", NULL, plan->waiting},
              {"inflight", NULL, plan->inflight}, {"json", NULL, plan->json},
              {"total", NULL, plan->total}, {"limit", NULL, plan->limit});
}

void process_report_port(const struct acceptor *acceptor, const char *what)
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

void process_report_failure(struct log *log, const struct status *st)
{
    log_event(log, LOG_ERROR, "cannot start", {"reason", st->message, 0});
}

struct ports {
    struct acceptor http;
    struct acceptor grpc;         /* on the loops of `http` */
    struct acceptor admin;        /* with a loop of its own */
    atomic_int admin_phase;       /* enum service_phase */
    struct systemd_sockets given; /* that the service manager has opened */
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

static bool has_grpc(const struct options *options)
{
    return options->grpc_port >= 0;
}

/* Reads which sockets the service manager has opened: one of them is a port,
 * whatever the options say of its address. */
static bool read_given(struct ports *ports, struct options *options,
                       struct status *st)
{
    const struct systemd_variables variables = {
        getenv("LISTEN_PID"), getenv("LISTEN_FDS"), getenv("LISTEN_FDNAMES")};

    if (!systemd_read_sockets(&ports->given, &variables, SYSTEMD_FIRST, st))
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
        .protocol = &protocol_http,
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

    if (!has_grpc(service->jobs.options))
        return true;
    profile.protocol = &protocol_grpc;
    profile.port = LOOP_GRPC;
    if (!acceptor_init(&ports->grpc, service, &profile, uv))
        return false;
    acceptor_pair(&ports->grpc, &ports->http);
    service->grpc = &ports->grpc.profile;
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

/* Listens on all ports; nobody is accepted yet. `drain` is told when a loop has
 * ended. */
static bool open_ports(struct ports *ports, struct service *service,
                       uv_loop_t *uv, struct drain *drain, struct status *st)
{
    const struct options *options = service->jobs.options;
    const struct systemd_sockets *given = &ports->given;

    if (!init_http(ports, service, uv, drain) ||
        !init_grpc(ports, service, uv) || !init_admin(ports, service, uv))
        return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    return (!options->admin_port ||
            listen_on(&ports->admin, given->admin, LISTEN_ADMIN, st)) &&
           (!has_grpc(options) ||
            listen_on(&ports->grpc, -1, LISTEN_GRPC, st)) &&
           listen_on(&ports->http, given->http, LISTEN_HTTP, st);
}

/* Starts the loops and accepts from now on. */
static bool start_ports(struct ports *ports, const struct options *options,
                        struct status *st)
{
    int loop_count = (int)options->http_thread_count;

    if (!acceptor_start_loops(&ports->http, 0, loop_count, st))
        return false;
    if (has_grpc(options))
        acceptor_share_loops(&ports->grpc);
    if (!acceptor_start(&ports->http, st) ||
        (has_grpc(options) && !acceptor_start(&ports->grpc, st)))
        return false;
    if (!options->admin_port)
        return true;
    return acceptor_start_loops(&ports->admin, loop_count, 1, st) &&
           acceptor_start(&ports->admin, st);
}

/* Waits for the end of the loops, which were told to stop, and frees them. */
static void join_ports(struct ports *ports, const struct options *options)
{
    acceptor_join(&ports->http);
    acceptor_join(&ports->admin);
    if (has_grpc(options))
        acceptor_join(&ports->grpc);
}

/* All state of a running daemon. On the heap: the counters are too large for a
 * stack. */
struct server {
    struct log log;
    struct options options; /* with what the memory plan derived */
    struct service service;
    struct ports ports;
    struct drain drain;
    uv_loop_t uv;
    struct housekeeping housekeeping;
    struct supervision supervision;
};

static void announce_admin(struct server *server, const struct options *options)
{
    process_report_port(&server->ports.admin, "admin port at");
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
              {"kept_buffers", NULL, (int64_t)jobs->buffer_pool.kept_limit});
    process_report_memory(&server->log, &jobs->memory);
    process_report_port(&server->ports.http, "listening on");
    if (has_grpc(options))
        process_report_port(&server->ports.grpc, "gRPC port at");
}

static bool start_threads(struct server *server, struct status *st)
{
    if (workers_start(&server->service.workers, st) &&
        start_ports(&server->ports, &server->options, st))
        return true;
    os_setup_explain(&server->options, st);
    return false;
}

static bool start(struct server *server, const struct options *given,
                  struct status *st)
{
    const struct options *options = &server->options;
    struct memory_plan plan;
    int error;

    server->options = *given;
    if (!read_given(&server->ports, &server->options, st) ||
        !os_setup_plan(&server->options, &plan, st))
        return false;
    os_setup_report_files(options, &plan, &server->log);
    error = uv_loop_init(&server->uv);
    if (error != 0)
        return status_fail(st, STATUS_NO_MEMORY, "cannot make a loop: %s",
                           uv_strerror(error));
    if (!supervision_init(&server->supervision, &server->log, st) ||
        !drain_init(&server->drain, &server->uv, &server->ports.http,
                    &server->ports.admin, st) ||
        !service_init(&server->service, options, &server->log, st))
        return false;
    server->service.jobs.memory = plan;
    server->drain.supervision = &server->supervision;
    if (!open_ports(&server->ports, &server->service, &server->uv,
                    &server->drain, st))
        return false;
    if (!start_threads(server, st) ||
        !housekeeping_start(&server->housekeeping, &server->uv,
                            &server->service, &server->supervision, st))
        return false;
    announce(server, options);
    supervision_ready(&server->supervision, &server->ports.http,
                      &server->ports.admin, &server->uv);
    return true;
}

/* libuv restores a signal's default when it closes the handle, and one more
 * SIGTERM would kill the process before its exit code. The threads that could
 * still receive it have ended by then. */
static void block_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

static void finish(struct server *server)
{
    join_ports(&server->ports, &server->options);
    service_free(&server->service);
    block_signals();
    loop_close_uv(&server->uv);
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
    open_log(&log, options);
    process_report_failure(&log, st);
    log_free(&log);
}

static int run(struct server *server, const struct options *options)
{
    struct status st;
    int code;

    open_log(&server->log, options);
    report_strays(&server->log);
    if (!start(server, options, &st)) {
        /* Nothing is freed: the process ends now. */
        process_report_failure(&server->log, &st);
        return 1;
    }
    os_setup_guard_start(false, false);
    uv_run(&server->uv, UV_RUN_DEFAULT);
    finish(server);
    code = atomic_load(&server->service.has_cut) ? 1 : 0;
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

/* A start without threads and without sockets. */
static bool check(struct service *service, struct options *options,
                  struct log *log, struct status *st)
{
    struct memory_plan plan;

    if (!os_setup_plan(options, &plan, st))
        return false;
    os_setup_report_files(options, &plan, log);
    if (!service_init(service, options, log, st))
        return false;
    process_report_memory(log, &plan);
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

    open_log(&log, given);
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
        process_report_failure(&log, &st);
    }
    log_free(&log);
    return code;
}
