#include "server/process/process.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/core/isa.h"
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

/* All ports, by enum listen_port. That of gRPC is on the loops of HTTP; the
 * admin port has a loop of its own. */
struct ports {
    struct acceptor all[LISTEN_PORTS];
    struct loop *loops, *admin_loop; /* owned arrays */
    atomic_int admin_phase;          /* enum service_phase */
    struct systemd_sockets given;    /* that the service manager has opened */
};

static bool has_port(const struct options *options, enum listen_port port)
{
    switch (port) {
    case LISTEN_ADMIN:
        return options->admin_port != 0;
    case LISTEN_GRPC:
        return options->grpc_port >= 0;
    case LISTEN_HTTP:
        break;
    }
    return true;
}

/* --admin-port: health and metrics, with a loop and a connection limit of their
 * own, so that they are served when the main port has no connection left. It is
 * for probes and for Prometheus, on a network of their own: restricted APIs are
 * those of the main port. */
static bool admin_serves(const struct api_route *route)
{
    return strncmp(route->label, "/v2/health/", 11) == 0 ||
           strcmp(route->label, "/metrics") == 0;
}

/* `drain` is told when a loop has ended. The port of gRPC, --grpc-port, is the
 * same service by another protocol. */
static bool init_ports(struct ports *ports, struct service *service,
                       uv_loop_t *uv, struct drain *drain)
{
    const struct job_context *jobs = &service->jobs;
    struct acceptor *all = ports->all;
    const struct listener_profile http = {
        .protocol = &protocol_http,
        .limit = (size_t)jobs->options->max_connections,
        .waiting = (size_t)jobs->memory.waiting_count,
        .tls = service->tls.on,
        .counted = true,
        .phase = &service->phase,
        .on_loop_done = drain_loop_done,
        .on_loop_done_context = drain,
    };
    struct listener_profile grpc = http, admin = http;

    admin.limit = (size_t)jobs->memory.own_connections;
    admin.waiting = 1;
    admin.tls = admin.counted = false;
    admin.unrestricted = true;
    admin.phase = &ports->admin_phase;
    admin.serves = admin_serves;
    admin.not_served = "this is the admin port: /v2/health/live, "
                       "/v2/health/ready, /healthz and /metrics are all "
                       "there is";
    grpc.protocol = &protocol_grpc;
    grpc.port = LOOP_GRPC;
    if (!acceptor_init(&all[LISTEN_HTTP], service, &http, uv) ||
        !acceptor_init(&all[LISTEN_ADMIN], service, &admin, uv))
        return false;
    if (!has_port(jobs->options, LISTEN_GRPC))
        return true;
    if (!acceptor_init(&all[LISTEN_GRPC], service, &grpc, uv))
        return false;
    acceptor_pair(&all[LISTEN_GRPC], &all[LISTEN_HTTP]);
    service->grpc = &all[LISTEN_GRPC].profile;
    return true;
}

/* Listens on all ports; accepts no connection yet. */
static bool open_ports(struct ports *ports, const struct options *options,
                       struct status *st)
{
    const int given[LISTEN_PORTS] = {
        [LISTEN_HTTP] = ports->given.http,
        [LISTEN_ADMIN] = ports->given.admin,
        [LISTEN_GRPC] = -1,
    };

    for (int i = LISTEN_PORTS - 1; i >= 0; i--)
        if (has_port(options, (enum listen_port)i) &&
            !acceptor_open(&ports->all[i], (enum listen_port)i, given[i], st))
            return false;
    return true;
}

/* Starts `count` loops of a port, whose indices follow `first`. */
static struct loop *start_loops(struct acceptor *acceptor, int first, int count,
                                struct status *st)
{
    struct job_context *jobs = &acceptor->service->jobs;
    struct loop *loops =
        aligned_alloc(_Alignof(struct loop), (size_t)count * sizeof(*loops));

    if (!loops) {
        status_fail(st, STATUS_NO_MEMORY, "no memory to start");
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (!loop_start(&loops[i], acceptor->service, &acceptor->profile,
                        first + i, st))
            return NULL;
        jobs->metrics[jobs->metrics_count++] = &loops[i].context.metrics;
    }
    return loops;
}

/* Starts the loops and accepts from now on. */
static bool start_ports(struct ports *ports, const struct options *options,
                        struct status *st)
{
    struct acceptor *all = ports->all;
    int count = (int)options->http_thread_count;

    ports->loops = start_loops(&all[LISTEN_HTTP], 0, count, st);
    if (!ports->loops ||
        !acceptor_start(&all[LISTEN_HTTP], ports->loops, count, st))
        return false;
    if (has_port(options, LISTEN_GRPC) &&
        !acceptor_start(&all[LISTEN_GRPC], ports->loops, count, st))
        return false;
    if (!has_port(options, LISTEN_ADMIN))
        return true;
    ports->admin_loop = start_loops(&all[LISTEN_ADMIN], count, 1, st);
    return ports->admin_loop &&
           acceptor_start(&all[LISTEN_ADMIN], ports->admin_loop, 1, st);
}

/* Waits for the end of the loops, which were told to stop, and frees them. */
static void join_ports(struct ports *ports)
{
    for (int i = 0; i < ports->all[LISTEN_HTTP].loop_count; i++)
        loop_join(&ports->loops[i]);
    if (ports->admin_loop)
        loop_join(ports->admin_loop);
    free(ports->loops);
    free(ports->admin_loop);
    for (int i = 0; i < LISTEN_PORTS; i++)
        acceptor_free(&ports->all[i]);
}

/* All state of a running daemon. On the heap: the counters are too large for a
 * stack. */
struct server {
    struct log log;
    struct options options; /* with what the memory plan derived */
    struct memory_plan plan;
    struct service service;
    struct ports ports;
    struct drain drain;
    uv_loop_t uv;
    struct housekeeping housekeeping;
    struct systemd manager;
};

static void announce(struct server *server, const struct options *options)
{
    const struct job_context *jobs = &server->service.jobs;
    const struct acceptor *ports = server->ports.all;

    if (has_port(options, LISTEN_ADMIN))
        process_report_port(&ports[LISTEN_ADMIN], "admin port at");
    if (has_port(options, LISTEN_ADMIN) &&
        options->http_restricted_api.count > 0)
        log_message(&server->log, LOG_INFO,
                    "restricted APIs are restricted at the main port only; the "
                    "admin port serves health and metrics to whoever reaches "
                    "it");
    log_event(&server->log, LOG_INFO, "flipd", {"version", FLIPD_VERSION, 0},
              {"simd_movers", isa_name(isa_active()), 0},
              {"simd_json", isa_name(isa_active()), 0},
              {"loops", NULL, options->http_thread_count},
              {"workers", NULL, options->worker_count},
              {"inline_limit", NULL, options->inline_limit},
              {"max_input", NULL, options->http_max_input_size},
              {"max_inflight", NULL, options->max_inflight_bytes},
              {"max_queue", NULL, options->max_queue_size},
              {"max_connections", NULL, options->max_connections},
              {"kept_buffers", NULL, (int64_t)jobs->buffer_pool.kept_limit});
    process_report_memory(&server->log, &jobs->memory);
    process_report_port(&ports[LISTEN_HTTP], "listening on");
    if (has_port(options, LISTEN_GRPC))
        process_report_port(&ports[LISTEN_GRPC], "gRPC port at");
}

/* Shares out the memory. A socket that the service manager has opened is a
 * port, whatever the options say of its address. */
static bool plan(struct server *server, struct status *st)
{
    struct options *options = &server->options;

    if (!systemd_read_sockets(&server->ports.given, st))
        return false;
    if (server->ports.given.admin >= 0 && !options->admin_port)
        options->admin_port = 1; /* any: it is only said to be there */
    return os_setup_plan(options, &server->plan, &server->log, st);
}

static bool start(struct server *server, struct status *st)
{
    struct acceptor *ports = server->ports.all;
    int error;

    if (!plan(server, st))
        return false;
    error = uv_loop_init(&server->uv);
    if (error != 0)
        return status_fail(st, STATUS_NO_MEMORY, "cannot make a loop: %s",
                           uv_strerror(error));
    if (!systemd_init(&server->manager, &server->log, st) ||
        !drain_init(&server->drain, &server->uv, &ports[LISTEN_HTTP],
                    &ports[LISTEN_ADMIN], &server->manager, st) ||
        !service_init(&server->service, &server->options, &server->log, st))
        return false;
    server->service.jobs.memory = server->plan;
    if (!init_ports(&server->ports, &server->service, &server->uv,
                    &server->drain))
        return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    if (!open_ports(&server->ports, &server->options, st))
        return false;
    if (!workers_start(&server->service.workers, st) ||
        !start_ports(&server->ports, &server->options, st)) {
        os_setup_explain(&server->options, st);
        return false;
    }
    if (!housekeeping_start(&server->housekeeping, &server->uv,
                            &server->service, &server->manager, st))
        return false;
    announce(server, &server->options);
    systemd_ready(&server->manager, &ports[LISTEN_HTTP], &ports[LISTEN_ADMIN],
                  &server->uv);
    return true;
}

static void finish(struct server *server)
{
    sigset_t all;

    join_ports(&server->ports);
    service_free(&server->service);
    /* libuv restores a signal's default when it closes the handle, and one more
     * SIGTERM would kill the process before its exit code. The threads that
     * could still receive it have ended. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    loop_close_uv(&server->uv);
    systemd_free(&server->manager);
    log_message(&server->log, LOG_INFO, "stopped");
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

static bool serve(struct server *server, struct status *st)
{
    os_setup_prepare();
    os_setup_guard_start(server->options.log_format == OPTIONS_LOG_JSON);
    if (!start(server, st))
        return false;
    signal(SIGABRT, SIG_DFL);
    uv_run(&server->uv, UV_RUN_DEFAULT);
    finish(server);
    return true;
}

/* A start without threads and without sockets. */
static bool check(struct server *server, struct status *st)
{
    if (!plan(server, st) ||
        !service_init(&server->service, &server->options, &server->log, st))
        return false;
    process_report_memory(&server->log, &server->plan);
    service_free(&server->service);
    log_message(&server->log, LOG_INFO,
                "the options and their files are good; nothing is started");
    return true;
}

int process_run(const struct options *options)
{
    /* Static: what a failed start leaves is not a leak. */
    static struct server *server;
    struct status st;
    int code;

    server = aligned_alloc(_Alignof(struct server), sizeof(*server));
    if (!server) {
        status_fail(&st, STATUS_NO_MEMORY, "no memory to start");
        process_refuse(options, &st);
        return 1;
    }
    memset(server, 0, sizeof(*server));
    server->options = *options;
    open_log(&server->log, options);
    report_strays(&server->log);
    if (!(options->action == OPTIONS_CHECK ? check : serve)(server, &st)) {
        /* Nothing is freed: the process ends now. */
        process_report_failure(&server->log, &st);
        return 1;
    }
    log_free(&server->log);
    code = atomic_load(&server->service.has_cut) ? 1 : 0;
    free(server);
    return code;
}
