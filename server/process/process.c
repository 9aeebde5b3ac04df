#include "server/process/process.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/core/isa.h"
#include "server/base/bounds.h"
#include "server/config/host_limits.h"
#include "server/conn/service.h"
#include "server/grpc/session.h"
#include "server/http/connection.h"
#include "server/net/acceptor.h"
#include "server/process/main_loop.h"
#include "server/process/systemd.h"

enum {
    /* Larger allocations are returned to the system when they are freed. */
    MALLOC_MAPS = 256 << 10,
    /* Descriptors beside the clients': those of the main thread, which are 14,
     * and files that are read; of a loop, which are 7, and one more while it
     * ends a connection. */
    OWN_FDS = 24,
    LOOP_FDS = 8,
    /* Open at once, of --admin-port; half of all where descriptors are few. */
    ADMIN_CONNECTIONS = 64,

    SLICE_NS = 200000, /* of a thread, on a processor that others want, too */
    KEEP_POLICY = 8,   /* SCHED_FLAG_KEEP_POLICY */
};

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

/* What sched_setattr(2) takes; the C library has no name for it. */
struct sched_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

/* Many short slices of a processor instead of few long ones, for all threads: a
 * loop with one small request waits less behind another that sends a large
 * answer, and a worker that gives way loses no more than a short slice. Linux
 * before 6.12 has slices of its own length. */
static void shorten_slices(void)
{
    struct sched_attributes attributes = {
        .size = sizeof(attributes),
        .flags = KEEP_POLICY,
        .nice = getpriority(PRIO_PROCESS, 0),
        .runtime_ns = SLICE_NS,
    };

    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void process_prepare(void)
{
    shorten_slices();
    signal(SIGPIPE, SIG_IGN);
    mallopt(M_MMAP_THRESHOLD, MALLOC_MAPS);
    mallopt(M_TRIM_THRESHOLD, 2 * MALLOC_MAPS);
}

static int64_t count_loops(const struct options *options)
{
    return options->http_thread_count + (options->admin_port != 0);
}

static int64_t count_workers(const struct options *options)
{
    return 2 * options->worker_count + 1; /* workers.h */
}

/* Raises the limit of open files to the hard one, and returns it. */
static int64_t file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return INT32_MAX;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max > INT32_MAX ? INT32_MAX : (int64_t)limit.rlim_max;
}

/* Descriptors for connections of both ports: connections never use the rest. */
static int64_t connection_files(const struct options *options)
{
    return file_limit() - OWN_FDS - LOOP_FDS * count_loops(options);
}

/* A client of each port, and one that waits for room. */
static int64_t least_connections(const struct options *options)
{
    return options->admin_port ? 4 : 2;
}

/* The least that suffice, and all threads. */
static int64_t count_files(const struct options *options)
{
    return OWN_FDS + LOOP_FDS * count_loops(options) +
           least_connections(options);
}

static int64_t count_threads(const struct options *options)
{
    return 1 + count_loops(options) + count_workers(options);
}

static bool check_files(const struct options *options, struct status *st)
{
    int64_t limit = file_limit(), needed = count_files(options);

    return limit >= needed ||
           status_fail(st, STATUS_INVALID,
                       "the limit of open files (ulimit -n) is %" PRId64
                       ", but %" PRId64 " are needed: %d for each of %" PRId64
                       " loops (--http-thread-count%s), %" PRId64
                       " for clients, %d for the rest",
                       limit, needed, LOOP_FDS, count_loops(options),
                       options->admin_port ? ", --admin-port" : "",
                       least_connections(options), OWN_FDS);
}

static bool check_threads(const struct options *options, struct status *st)
{
    int64_t limit = host_limits_threads(), needed = count_threads(options);

    return limit >= needed ||
           status_fail(st, STATUS_INVALID,
                       "the limit of threads (ulimit -u, pids.max) is %" PRId64
                       ", but %" PRId64 " are needed: %" PRId64
                       " loops (--http-thread-count%s), %" PRId64
                       " workers (two for each of --worker-count, and one), "
                       "and one",
                       limit, needed, count_loops(options),
                       options->admin_port ? ", --admin-port" : "",
                       count_workers(options));
}

void process_explain(const struct options *options, struct status *st)
{
    const struct status cause = *st;
    int64_t threads = host_limits_threads();
    int64_t space = host_limits_address_space();
    char limits[160];
    int len = snprintf(limits, sizeof(limits), "%" PRId64 " files (ulimit -n)",
                       file_limit());

    if (threads < INT64_MAX)
        len += snprintf(limits + len, sizeof(limits) - (size_t)len,
                        ", %" PRId64 " threads (ulimit -u, pids.max)", threads);
    if (space < INT64_MAX)
        snprintf(limits + len, sizeof(limits) - (size_t)len,
                 ", %" PRId64 " bytes of addresses (ulimit -v)", space);
    status_fail(st, cause.code,
                "%s; %" PRId64 " threads and %" PRId64
                " files are needed, the limits are %s",
                cause.message, count_threads(options), count_files(options),
                limits);
}

bool process_plan(struct options *options, struct memory_plan *plan,
                  struct log *log, struct status *st)
{
    const int64_t admin =
        options->admin_port
            ? min_int64(connection_files(options) / 2, ADMIN_CONNECTIONS)
            : 0;
    const struct memory_plan_setup setup = {
        .memory = host_limits_memory(),
        .files = connection_files(options) - admin,
        .loops = count_loops(options),
        .workers = count_workers(options),
        .own_connections = admin,
        .connections = options->max_connections,
        .inflight = options->max_inflight_bytes,
        .tls = options->tls_cert != NULL,
        .grpc_streams = options->grpc_port >= 0 ? options->grpc_max_streams : 0,
    };

    if (!check_files(options, st) || !check_threads(options, st) ||
        !memory_plan_make(plan, &setup, st))
        return false;
    options->max_connections = min_int64(plan->connection_count, plan->files);
    options->max_inflight_bytes = plan->inflight;
    if (options->max_connections == plan->files)
        log_event(log, LOG_WARNING,
                  "the limit of open files bounds the connections: raise it",
                  {"open_files", NULL, file_limit()},
                  {"max_connections", NULL, options->max_connections});
    return true;
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
    struct loop *loops;      /* owned array; the admin port's is the last */
    atomic_int admin_phase;  /* enum service_phase */
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
 * own, so that they are served when the main port has no connection left, to
 * probes and Prometheus: restricted APIs are those of the main port. */
static bool admin_serves(const struct api_route *route)
{
    return strncmp(route->label, "/v2/health/", 11) == 0 ||
           strcmp(route->label, "/metrics") == 0;
}

/* --grpc-port is the same service: its sockets wait in half of the room. */
static bool init_ports(void)
{
    struct service *service = &server.service;
    struct acceptor *ports = server.ports;
    uv_loop_t *uv = &server.loop.uv;
    const struct listener_profile http = {
        .protocol = &protocol_http,
        .limit = (size_t)server.options.max_connections,
        .waiting = (size_t)max_int64(
            server.plan.waiting_count / (1 + has_port(LISTEN_GRPC)), 1),
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

/* Starts the loops and accepts from now on. */
static bool start_ports(struct status *st)
{
    struct job_context *jobs = &server.service.jobs;
    struct acceptor *ports = server.ports;
    const int count = (int)server.options.http_thread_count;
    const int all = count + has_port(LISTEN_ADMIN);
    struct loop *loops =
        aligned_alloc(_Alignof(struct loop), (size_t)all * sizeof(*loops));

    server.loops = loops;
    if (!loops)
        return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    for (int i = 0; i < all; i++) {
        enum listen_port port = i < count ? LISTEN_HTTP : LISTEN_ADMIN;

        if (!loop_start(&loops[i], &server.service, &ports[port].profile, i,
                        st))
            return false;
        jobs->metrics[jobs->metrics_count++] = &loops[i].context.metrics;
    }
    return acceptor_start(&ports[LISTEN_HTTP], loops, count, st) &&
           (!has_port(LISTEN_GRPC) ||
            acceptor_start(&ports[LISTEN_GRPC], loops, count, st)) &&
           (!has_port(LISTEN_ADMIN) ||
            acceptor_start(&ports[LISTEN_ADMIN], loops + count, 1, st));
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
              {"simd_movers", isa_name(isa_active()), 0},
              {"simd_json", isa_name(isa_active()), 0},
              {"loops", NULL, options->http_thread_count},
              {"workers", NULL, options->worker_count},
              {"inline_limit", NULL, options->inline_limit},
              {"max_input", NULL, options->http_max_input_size},
              {"max_inflight", NULL, options->max_inflight_bytes},
              {"max_queue", NULL, options->max_queue_size},
              {"max_connections", NULL, options->max_connections},
              {"kept_buffers", NULL, (int64_t)jobs->budget.kept_limit});
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
    return process_plan(&server.options, &server.plan, &server.log, st);
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
        process_explain(&server.options, st);
        return false;
    }
    announce();
    systemd_ready(&server.manager, port, admin, &server.loop.uv);
    return true;
}

static void finish(void)
{
    const struct acceptor *ports = server.ports;
    int count = ports[LISTEN_HTTP].loop_count + ports[LISTEN_ADMIN].loop_count;

    for (int i = 0; i < count; i++)
        loop_join(&server.loops[i]);
    free(server.loops);
    for (int i = 0; i < LISTEN_PORTS; i++)
        acceptor_free(&server.ports[i]);
    service_free(&server.service);
    /* The main loop stays: libuv restores a signal's default when it closes the
     * handle, and one more SIGTERM would kill the process before its exit code.
     */
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
}

#define REFUSED "the system refuses libuv memory, a descriptor or a thread"

/* libuv aborts without a message where it is refused its signal pipe, a thread,
 * or memory for its table of descriptors. */
static void on_abort(int signal)
{
    static const char text[] = "flipd: cannot start: " REFUSED "\n";
    static const char json[] = "{\"level\":\"error\",\"message\":"
                               "\"cannot start\",\"reason\":\"" REFUSED "\"}\n";
    bool is_json = server.options.log_format == OPTIONS_LOG_JSON;

    (void)signal;
    (void)!write(STDERR_FILENO, is_json ? json : text,
                 (is_json ? sizeof(json) : sizeof(text)) - 1);
    _exit(1);
}

static bool serve(struct status *st)
{
    process_prepare();
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
    return atomic_load(&server.service.has_cut) ? 1 : 0;
}
