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
#include "server/process/main_loop.h"
#include "server/process/os_setup.h"
#include "server/process/systemd.h"

/* A log on standard error with the level and the format of the options. */
static void open_log(struct log *log, const struct options *options)
{
    log_init(log, STDERR_FILENO, (enum log_level)options->log_level,
             options->log_format == OPTIONS_LOG_JSON);
}

static void report_failure(struct log *log, const struct status *st)
{
    log_event(log, LOG_ERROR, "cannot start", {"reason", st->message, 0});
}

/* All state of the daemon. What a failed start leaves is not a leak. */
static struct {
    struct log log;
    struct options options; /* with what the memory plan derived */
    struct memory_plan plan;
    struct service service;
    struct main_loop loop;
    struct systemd manager;

    /* By enum listen_port. That of gRPC is on the loops of HTTP; the admin port
     * has a loop of its own. */
    struct acceptor ports[LISTEN_PORTS];
    int given[LISTEN_PORTS]; /* sockets of the service manager; -1: none */
    struct loop *loops, *admin_loop; /* owned arrays */
    atomic_int admin_phase;          /* enum service_phase */
} server;

static bool has_port(enum listen_port port)
{
    return port == LISTEN_HTTP ||
           (port == LISTEN_ADMIN ? server.options.admin_port != 0
                                 : server.options.grpc_port >= 0);
}

static void report_memory(void)
{
    const struct memory_plan *plan = &server.plan;

    log_event(&server.log, LOG_INFO, "memory at most",
              {"base", NULL, plan->base},
              {"connections", NULL, plan->connections},
              {"per_connection", NULL, plan->per_connection},
              {"waiting", NULL, plan->waiting},
              {"inflight", NULL, plan->inflight}, {"json", NULL, plan->json},
              {"total", NULL, plan->total}, {"limit", NULL, plan->limit});
}

/* The address of an open port, with the URL that people can open. */
static void report_port(enum listen_port port, const char *what)
{
    const struct acceptor *acceptor = &server.ports[port];
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
    log_write(&server.log, LOG_INFO, text, fields);
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

/* The port of gRPC, --grpc-port, is the same service by another protocol. */
static bool init_ports(void)
{
    struct service *service = &server.service;
    struct acceptor *ports = server.ports;
    uv_loop_t *uv = &server.loop.uv;
    const struct listener_profile http = {
        .protocol = &protocol_http,
        .limit = (size_t)server.options.max_connections,
        .waiting = (size_t)server.plan.waiting_count,
        .tls = service->tls.on,
        .counted = true,
        .phase = &service->phase,
        .on_loop_done = main_loop_note_done,
        .on_loop_done_context = &server.loop,
    };
    struct listener_profile grpc = http, admin = http;

    admin.limit = (size_t)server.plan.own_connections;
    admin.waiting = 1;
    admin.tls = admin.counted = false;
    admin.unrestricted = true;
    admin.phase = &server.admin_phase;
    admin.serves = admin_serves;
    admin.not_served = "this is the admin port: /v2/health/live, "
                       "/v2/health/ready, /healthz and /metrics are all "
                       "there is";
    grpc.protocol = &protocol_grpc;
    grpc.port = LOOP_GRPC;
    if (!acceptor_init(&ports[LISTEN_HTTP], service, &http, uv) ||
        !acceptor_init(&ports[LISTEN_ADMIN], service, &admin, uv))
        return false;
    if (!has_port(LISTEN_GRPC))
        return true;
    if (!acceptor_init(&ports[LISTEN_GRPC], service, &grpc, uv))
        return false;
    acceptor_pair(&ports[LISTEN_GRPC], &ports[LISTEN_HTTP]);
    service->grpc = &ports[LISTEN_GRPC].profile;
    return true;
}

/* Listens on all ports; accepts no connection yet. */
static bool open_ports(struct status *st)
{
    for (int i = LISTEN_PORTS; i-- > 0;) {
        enum listen_port port = (enum listen_port)i;

        if (has_port(port) &&
            !acceptor_open(&server.ports[i], port, server.given[i], st))
            return false;
    }
    return true;
}

/* Starts `count` loops of a port, whose indices follow `first`. */
static struct loop *start_loops(struct acceptor *acceptor, int first, int count,
                                struct status *st)
{
    struct job_context *jobs = &server.service.jobs;
    struct loop *loops =
        aligned_alloc(_Alignof(struct loop), (size_t)count * sizeof(*loops));

    if (!loops) {
        status_fail(st, STATUS_NO_MEMORY, "no memory to start");
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (!loop_start(&loops[i], &server.service, &acceptor->profile,
                        first + i, st))
            return NULL;
        jobs->metrics[jobs->metrics_count++] = &loops[i].context.metrics;
    }
    return loops;
}

/* Starts the loops and accepts from now on. */
static bool start_ports(struct status *st)
{
    struct acceptor *ports = server.ports;
    int count = (int)server.options.http_thread_count;

    server.loops = start_loops(&ports[LISTEN_HTTP], 0, count, st);
    if (!server.loops ||
        !acceptor_start(&ports[LISTEN_HTTP], server.loops, count, st))
        return false;
    if (has_port(LISTEN_GRPC) &&
        !acceptor_start(&ports[LISTEN_GRPC], server.loops, count, st))
        return false;
    if (!has_port(LISTEN_ADMIN))
        return true;
    server.admin_loop = start_loops(&ports[LISTEN_ADMIN], count, 1, st);
    return server.admin_loop &&
           acceptor_start(&ports[LISTEN_ADMIN], server.admin_loop, 1, st);
}

static void announce(void)
{
    const struct job_context *jobs = &server.service.jobs;
    const struct options *options = &server.options;

    if (has_port(LISTEN_ADMIN))
        report_port(LISTEN_ADMIN, "admin port at");
    if (has_port(LISTEN_ADMIN) && options->http_restricted_api.count > 0)
        log_message(&server.log, LOG_INFO,
                    "restricted APIs are restricted at the main port only; the "
                    "admin port serves health and metrics to whoever reaches "
                    "it");
    log_event(&server.log, LOG_INFO, "flipd", {"version", FLIPD_VERSION, 0},
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
    report_memory();
    report_port(LISTEN_HTTP, "listening on");
    if (has_port(LISTEN_GRPC))
        report_port(LISTEN_GRPC, "gRPC port at");
}

/* Shares out the memory. A socket that the service manager has opened is a
 * port, whatever the options say of its address. */
static bool plan(struct status *st)
{
    if (!systemd_read_sockets(server.given, st))
        return false;
    if (server.given[LISTEN_ADMIN] >= 0 && !server.options.admin_port)
        server.options.admin_port = 1; /* any: it is only said to be there */
    return os_setup_plan(&server.options, &server.plan, &server.log, st);
}

static bool start(struct status *st)
{
    struct acceptor *port = &server.ports[LISTEN_HTTP];
    struct acceptor *admin = &server.ports[LISTEN_ADMIN];

    if (!plan(st) || !systemd_init(&server.manager, &server.log, st))
        return false;
    if (!main_loop_init(&server.loop, port, admin, &server.manager, st) ||
        !service_init(&server.service, &server.options, &server.log, st))
        return false;
    server.service.jobs.memory = server.plan;
    if (!init_ports())
        return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    if (!open_ports(st))
        return false;
    if (!workers_start(&server.service.workers, st) || !start_ports(st)) {
        os_setup_explain(&server.options, st);
        return false;
    }
    announce();
    systemd_ready(&server.manager, port, admin, &server.loop.uv);
    return true;
}

static void finish(void)
{
    sigset_t all;

    for (int i = 0; i < server.ports[LISTEN_HTTP].loop_count; i++)
        loop_join(&server.loops[i]);
    if (server.admin_loop)
        loop_join(server.admin_loop);
    free(server.loops);
    free(server.admin_loop);
    for (int i = 0; i < LISTEN_PORTS; i++)
        acceptor_free(&server.ports[i]);
    service_free(&server.service);
    /* libuv restores a signal's default when it closes the handle, and one more
     * SIGTERM would kill the process before its exit code. The threads that
     * could still receive it have ended. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    loop_close_uv(&server.loop.uv);
    systemd_free(&server.manager);
    log_message(&server.log, LOG_INFO, "stopped");
}

void process_refuse(const struct options *options, const struct status *st)
{
    struct log log;

    if (options->log_format != OPTIONS_LOG_JSON) {
        fprintf(stderr, "flipd: %s\n", st->message);
        return;
    }
    open_log(&log, options);
    report_failure(&log, st);
    log_free(&log);
}

/* libuv aborts without a message where it is refused its signal pipe, a thread,
 * or memory for its table of descriptors. Then its thread is neither in the
 * heap nor in the log, so that this may write a line. */
static void on_abort(int signal)
{
    struct status st;

    (void)signal;
    status_fail(&st, STATUS_NO_MEMORY,
                "the system refuses libuv memory, a descriptor or a thread");
    report_failure(&server.log, &st);
    _exit(1);
}

static bool serve(struct status *st)
{
    os_setup_prepare();
    signal(SIGABRT, on_abort);
    if (!start(st))
        return false;
    signal(SIGABRT, SIG_DFL);
    uv_run(&server.loop.uv, UV_RUN_DEFAULT);
    finish();
    return true;
}

/* A start without threads and without sockets. */
static bool check(struct status *st)
{
    if (!plan(st) ||
        !service_init(&server.service, &server.options, &server.log, st))
        return false;
    report_memory();
    service_free(&server.service);
    log_message(&server.log, LOG_INFO,
                "the options and their files are good; nothing is started");
    return true;
}

int process_run(const struct options *options)
{
    struct status st;

    server.options = *options;
    open_log(&server.log, options);
    options_report_strays(environ, &server.log);
    if (!(options->action == OPTIONS_CHECK ? check : serve)(&st)) {
        /* Nothing is freed: the process ends now. */
        report_failure(&server.log, &st);
        return 1;
    }
    log_free(&server.log);
    return atomic_load(&server.service.has_cut) ? 1 : 0;
}
