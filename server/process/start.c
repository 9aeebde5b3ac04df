#include "server/process/start.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/net/acceptor.h"
#include "server/process/drain.h"
#include "server/process/process.h"
#include "server/shm/use.h"

enum {
    /* Bytes of free buffers: an eighth of what may be in flight, in bounds. */
    KEPT_LEAST = 64 << 20,
    KEPT_MOST = 512 << 20,
    KEPT_SHARE = 8,
    KEEP_MS = 30000, /* and how long they are kept unused */
    HOUSEKEEPING_MS = 5000,
    CROWD = 256, /* connections fewer than before: worth trimming the heap */
};

/* Everything of a running daemon; on the heap, for the counters are many. */
struct server {
    struct log log;
    struct service service;
    struct listener_profile profile; /* of --http-port */
    struct acceptor acceptor;
    struct admin admin;
    struct drain drain;
    uv_loop_t uv;
    uv_timer_t housekeeping;
    uv_signal_t reload;
    uv_work_t first_work;
    size_t crowd;       /* most connections seen since the heap was trimmed */
    struct loop *loops; /* owned */
};

static size_t kept_limit(const struct options *options)
{
    int64_t share = options->max_inflight_bytes / KEPT_SHARE;

    if (share < KEPT_LEAST)
        return KEPT_LEAST;
    return share < KEPT_MOST ? (size_t)share : KEPT_MOST;
}

static bool init_service(struct server *server, const struct options *options,
                         struct status *st)
{
    struct service *service = &server->service;

    service->jobs.options = options;
    service->jobs.log = &server->log;
    service->jobs.connections = &service->connections;
    if (getrandom(&service->instance, sizeof(service->instance),
                  GRND_NONBLOCK) < 0)
        service->instance = (uint32_t)getpid();
    buffer_pool_init(&service->jobs.buffer_pool, kept_limit(options));
    admission_init(&service->jobs.admission,
                   (size_t)options->max_inflight_bytes,
                   (size_t)options->max_queue_size);
    if (!address_limit_init(&service->address_limit,
                            (size_t)options->max_connections_per_address,
                            (size_t)options->max_connections, st))
        return false;
    service->jobs.metrics_count = (int)options->http_thread_count + 1;
    service->jobs.metrics =
        calloc((size_t)service->jobs.metrics_count + ADMIN_METRICS,
               sizeof(service->jobs.metrics[0]));
    server->loops =
        aligned_alloc(_Alignof(struct loop),
                      (size_t)options->http_thread_count * sizeof(struct loop));
    if (!models_init(&service->jobs.models, options->models, st) ||
        !tls_init(&service->tls, options, &server->log, st) ||
        !route_auth_init(&service->route_auth, options, st) ||
        !shm_init(&service->jobs.shm, options->allow_client_shm,
                  options->shm_prefix, (size_t)options->max_inflight_bytes, st))
        return false;
    if (options->allow_client_shm)
        shm_use_install();
    return (service->jobs.metrics && server->loops) ||
           status_fail(st, STATUS_NO_MEMORY, "no memory to start");
}

/* The setup of the loop of this index; those of --http-port come first. */
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
        service->jobs.metrics[i] = &server->loops[i].metrics;
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

/* libuv makes its workers with the first piece of work. */
static bool start_workers(struct server *server, struct status *st)
{
    const struct options *options = server->service.jobs.options;

    if (!process_can_start_threads(
            options->worker_count + options->http_thread_count, st))
        return false;
    uv_queue_work(&server->uv, &server->first_work, do_nothing, NULL);
    return true;
}

/* libmicrohttpd's 32 KiB a connection are the heap's, which keeps them in the
 * middle: without this, a crowd that has left still shows in our size. */
static void trim_heap(struct server *server)
{
    size_t now = atomic_load(&server->service.connections);

    if (now + CROWD <= server->crowd) {
        malloc_trim(0);
        server->crowd = now;
    } else if (now > server->crowd) {
        server->crowd = now;
    }
}

static void on_housekeeping(uv_timer_t *timer)
{
    struct server *server = timer->data;
    uint64_t now_ms = uv_now(&server->uv);

    if (now_ms > KEEP_MS)
        buffer_pool_trim(&server->service.jobs.buffer_pool, now_ms - KEEP_MS);
    trim_heap(server);
    tls_look(&server->service.tls, &server->log);
}

static void on_reload(uv_signal_t *handle, int signal)
{
    struct server *server = handle->data;

    (void)signal;
    if (server->service.jobs.models.path || !server->service.tls.on)
        models_reload(&server->service.jobs.models, &server->log);
    if (server->service.tls.on)
        tls_reload(&server->service.tls, &server->log);
}

static void announce(struct server *server)
{
    const struct options *options = server->service.jobs.options;
    char address[LISTEN_TEXT_SIZE], text[LISTEN_TEXT_SIZE + 16];

    log_event(&server->log, LOG_INFO, "flipd", {"version", FLIPD_VERSION, 0},
              {"loops", NULL, options->http_thread_count},
              {"workers", NULL, options->worker_count},
              {"inline_limit", NULL, options->inline_limit},
              {"max_input", NULL, options->http_max_input_size},
              {"max_inflight", NULL, options->max_inflight_bytes},
              {"max_queue", NULL, options->max_queue_size},
              {"max_connections", NULL, options->max_connections},
              {"kept_buffers", NULL, (int64_t)kept_limit(options)});
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
        !init_service(server, options, st) ||
        !admin_open(&server->admin, options, st))
        return false;
    acceptor->fd = listen_open(&acceptor->address, st);
    if (acceptor->fd < 0)
        return false;
    process_raise_fd_limit(options, &server->log);
    if (!start_workers(server, st) || !start_loops(server, st) ||
        !admin_start(&server->admin,
                     make_setup(server, server->acceptor.loop_count),
                     &server->uv, st))
        return false;
    acceptor_start(acceptor);
    uv_timer_init(&server->uv, &server->housekeeping);
    server->housekeeping.data = server;
    uv_timer_start(&server->housekeeping, on_housekeeping, HOUSEKEEPING_MS,
                   HOUSEKEEPING_MS);
    uv_signal_init(&server->uv, &server->reload);
    server->reload.data = server;
    uv_signal_start(&server->reload, on_reload, SIGHUP);
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
    buffer_pool_free(&service->jobs.buffer_pool);
    address_limit_free(&service->address_limit);
    models_free(&service->jobs.models);
    route_auth_free(&service->route_auth);
    shm_free(&service->jobs.shm);
    tls_free(&service->tls);
    free(service->jobs.metrics);
    free(server->loops);
    log_message(&server->log, LOG_INFO, "stopped");
    log_free(&server->log);
}

int server_run(const struct options *options)
{
    struct server *server =
        aligned_alloc(_Alignof(struct server), sizeof(*server));
    struct status st;
    int code = 1;

    if (!server)
        return 1;
    memset(server, 0, sizeof(*server));
    process_prepare(options);
    log_init(&server->log, STDERR_FILENO, (enum log_level)options->log_level,
             options->log_format == OPTIONS_LOG_JSON);
    if (start(server, options, &st)) {
        uv_run(&server->uv, UV_RUN_DEFAULT);
        code = server->drain.cut ? 1 : 0;
        finish(server);
        free(server);
    } else {
        /* The process ends now: nothing that was half started is unwound. */
        log_event(&server->log, LOG_ERROR, "cannot start",
                  {"reason", st.message, 0});
    }
    return code;
}
