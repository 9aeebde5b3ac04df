#include "server/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/net/acceptor.h"
#include "server/process/drain.h"
#include "server/process/housekeeping.h"
#include "server/process/os_setup.h"

/* All state of a running daemon. On the heap: the counters are too large for a
 * stack. */
struct server {
    struct log log;
    struct service service;
    struct listener_profile profile; /* of --http-port */
    struct acceptor acceptor;
    struct admin admin;
    struct drain drain;
    uv_loop_t uv;
    struct housekeeping housekeeping;
    uv_work_t first_work;
    struct loop *loops; /* owned, as service.jobs.metrics */
};

/* Without the I/O adapter the daemon runs, but slower and without TLS. */
static enum io_mode find_io_mode(struct log *log)
{
    const char *missing = NULL;
    enum io_mode mode = io_selftest_run(&missing);

    if (mode == IO_BROKEN)
        log_event(log, LOG_WARNING,
                  "libmicrohttpd bypasses the I/O adapter: "
                  "no short cuts for large bodies, no TLS",
                  {"call", missing, 0});
    return mode;
}

static bool init_service(struct server *server, const struct options *options,
                         struct status *st)
{
    struct service *service = &server->service;

    service->io_mode = find_io_mode(&server->log);
    if (getrandom(&service->instance, sizeof(service->instance),
                  GRND_NONBLOCK) < 0)
        service->instance = (uint32_t)getpid();
    return job_context_init(&service->jobs, options, &server->log, st) &&
           address_limit_init(&service->address_limit,
                              (size_t)options->max_connections_per_address,
                              (size_t)options->max_connections, st) &&
           tls_init(&service->tls, options, service->io_mode, &server->log,
                    st) &&
           route_auth_init(&service->route_auth, options, st);
}

/* The loops and the list of all counters: the loops', the acceptor's and the
 * admin port's. */
static bool allocate(struct server *server, const struct options *options,
                     struct status *st)
{
    struct job_context *jobs = &server->service.jobs;
    size_t loop_count = (size_t)options->http_thread_count;

    jobs->connections = &server->service.connections;
    jobs->metrics_count = (int)loop_count + 1;
    jobs->metrics =
        calloc(loop_count + 1 + ADMIN_METRICS, sizeof(jobs->metrics[0]));
    server->loops =
        aligned_alloc(_Alignof(struct loop), loop_count * sizeof(struct loop));
    return (jobs->metrics && server->loops) ||
           status_fail(st, STATUS_NO_MEMORY, "no memory to start");
}

/* The setup of the loop with this index; the first are those of --http-port. */
static struct loop_setup make_setup(struct server *server, int index)
{
    return (struct loop_setup){
        .service = &server->service,
        .profile = &server->profile,
        .index = index,
        .on_done = drain_loop_done,
        .on_done_context = &server->drain,
    };
}

static bool start_loops(struct server *server, struct status *st)
{
    struct service *service = &server->service;
    int count = (int)service->jobs.options->http_thread_count;

    service->jobs.metrics[count] = &server->acceptor.metrics;
    for (int i = 0; i < count; i++)
        service->jobs.metrics[i] = &server->loops[i].context.metrics;
    server->profile = (struct listener_profile){
        .limit = (size_t)service->jobs.options->max_connections,
        .tls = service->tls.on,
        .counted = true,
        .phase = &service->phase,
        .on_closed = acceptor_on_closed,
        .on_closed_context = &server->acceptor,
    };
    server->acceptor.service = service;
    server->acceptor.profile = &server->profile;
    server->acceptor.loops = server->loops;
    server->acceptor.loop_count = count;
    for (int i = 0; i < count; i++) {
        struct loop_setup setup = make_setup(server, i);

        if (!loop_start(&server->loops[i], &setup, st))
            return false;
    }
    return true;
}

static void do_nothing(uv_work_t *work)
{
    (void)work;
}

/* libuv creates its worker threads when the first work is queued. */
static bool start_workers(struct server *server, struct status *st)
{
    const struct options *options = server->service.jobs.options;

    if (!os_setup_can_start_threads(
            options->worker_count + options->http_thread_count, st))
        return false;
    uv_queue_work(&server->uv, &server->first_work, do_nothing, NULL);
    return true;
}

static void announce(struct server *server)
{
    const struct options *options = server->service.jobs.options;
    char address[LISTEN_TEXT_SIZE], text[LISTEN_TEXT_SIZE + 16];

    log_event(&server->log, LOG_INFO, "flipd", {"version", FLIPD_VERSION, 0},
              {"simd_movers", server->service.jobs.simd.movers, 0},
              {"simd_json", server->service.jobs.simd.json, 0},
              {"loops", NULL, options->http_thread_count},
              {"workers", NULL, options->worker_count},
              {"inline_limit", NULL, options->inline_limit},
              {"max_input", NULL, options->http_max_input_size},
              {"max_inflight", NULL, options->max_inflight_bytes},
              {"max_queue", NULL, options->max_queue_size},
              {"max_connections", NULL, options->max_connections},
              {"kept_buffers", NULL,
               (int64_t)server->service.jobs.buffer_pool.kept_limit});
    listen_text(&server->acceptor.address, address);
    snprintf(text, sizeof(text), "listening on %s", address);
    log_message(&server->log, LOG_INFO, text);
}

static bool start(struct server *server, const struct options *options,
                  struct status *st)
{
    struct acceptor *acceptor = &server->acceptor;

    uv_loop_init(&server->uv);
    acceptor_init(acceptor, &server->uv);
    drain_init(&server->drain, &server->uv, acceptor, &server->admin);
    if (!listen_parse(options, &acceptor->address, st) ||
        !init_service(server, options, st) || !allocate(server, options, st) ||
        !admin_open(&server->admin, options, st))
        return false;
    acceptor->fd = listen_open(&acceptor->address, st);
    if (acceptor->fd < 0)
        return false;
    os_setup_raise_fd_limit(options, &server->log);
    if (!start_workers(server, st) || !start_loops(server, st) ||
        !admin_start(&server->admin,
                     make_setup(server, server->acceptor.loop_count),
                     &server->uv, st))
        return false;
    acceptor_start(acceptor);
    housekeeping_start(&server->housekeeping, &server->uv, &server->service);
    announce(server);
    return true;
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void finish(struct server *server)
{
    struct service *service = &server->service;

    for (int i = 0; i < server->acceptor.loop_count; i++)
        loop_join(&server->loops[i]);
    admin_join(&server->admin);
    uv_walk(&server->uv, close_handle, NULL);
    uv_run(&server->uv, UV_RUN_DEFAULT);
    uv_loop_close(&server->uv);
    job_context_free(&service->jobs);
    address_limit_free(&service->address_limit);
    route_auth_free(&service->route_auth);
    tls_free(&service->tls);
    free(service->jobs.metrics);
    free(server->loops);
    log_message(&server->log, LOG_INFO, "stopped");
    log_free(&server->log);
}

int process_run(const struct options *options)
{
    struct server *server =
        aligned_alloc(_Alignof(struct server), sizeof(*server));
    struct status st;
    int code = 1;

    if (!server)
        return 1;
    memset(server, 0, sizeof(*server));
    os_setup_prepare(options);
    log_init(&server->log, STDERR_FILENO, (enum log_level)options->log_level,
             options->log_format == OPTIONS_LOG_JSON);
    if (start(server, options, &st)) {
        uv_run(&server->uv, UV_RUN_DEFAULT);
        code = server->drain.has_aborted ? 1 : 0;
        finish(server);
        free(server);
    } else {
        /* Nothing is freed: the process ends now. */
        log_event(&server->log, LOG_ERROR, "cannot start",
                  {"reason", st.message, 0});
    }
    return code;
}
