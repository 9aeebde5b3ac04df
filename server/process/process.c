#include "server/process/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/process/drain.h"
#include "server/process/housekeeping.h"
#include "server/process/os_setup.h"
#include "server/process/ports.h"
#include "server/process/report.h"

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
    report_port(&server->ports.admin, "admin port at");
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
    report_memory(&server->log, &jobs->memory);
    report_port(&server->ports.http, "listening on");
    if (ports_has_grpc(options))
        report_port(&server->ports.grpc, "gRPC port at");
}

static bool start_threads(struct server *server, struct status *st)
{
    if (workers_start(&server->service.workers, st) &&
        ports_start(&server->ports, &server->options, st))
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
    if (!ports_read_given(&server->ports, &server->options, st) ||
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
    if (!ports_open(&server->ports, &server->service, &server->uv,
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
    ports_join(&server->ports, &server->options);
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
