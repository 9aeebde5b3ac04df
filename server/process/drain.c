#include "server/process/drain.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    /* Time that aborted requests have to end. A worker checks its cancel flag
     * about once for each MiB. */
    ABORT_MS = 2000,
    /* A client may know that it is connected before the kernel here does. So
     * long the port accepts what has begun, and no more. */
    REFUSE_MS = 100,
    ADMIN_MS = 200, /* for replies that the admin port is still sending */
};

static const struct job_context *jobs_of(const struct drain *drain)
{
    return &drain->port->service->jobs;
}

static void start_timer(struct drain *drain, uv_timer_cb callback,
                        int64_t wait_ms)
{
    uv_timer_start(&drain->timer, callback, (uint64_t)wait_ms, 0);
}

/* A worker does not end: the process exits without it. */
static void on_stuck(uv_timer_t *timer)
{
    log_message(jobs_of(timer->data)->log, LOG_ERROR,
                "a request does not end: exiting without it");
    _exit(1);
}

static void abort_requests(uv_timer_t *timer)
{
    struct drain *drain = timer->data;

    log_message(jobs_of(drain)->log, LOG_WARNING,
                "cutting off running requests");
    drain->has_aborted = true;
    acceptor_close(drain->port);
    acceptor_set_phase(drain->port, SERVICE_ABORTING);
    start_timer(drain, on_stuck, ABORT_MS);
}

/* At the limit of connections some still wait to be accepted: idle ones that
 * are closed make room. */
static void close_port(uv_timer_t *timer)
{
    struct drain *drain = timer->data;

    acceptor_finish(drain->port);
    acceptor_set_phase(drain->port, SERVICE_STOPPING);
    start_timer(drain, abort_requests,
                jobs_of(drain)->options->exit_timeout_secs * 1000);
}

static void stop(uv_timer_t *timer)
{
    struct drain *drain = timer->data;

    log_message(jobs_of(drain)->log, LOG_INFO, "stopping");
    acceptor_refuse(drain->port);
    acceptor_set_phase(drain->port, SERVICE_DRAINING);
    start_timer(drain, close_port, REFUSE_MS);
}

static void start(struct drain *drain, int signal)
{
    int64_t delay = jobs_of(drain)->options->drain_delay;

    log_event(jobs_of(drain)->log, LOG_INFO, "draining",
              {"signal", signal == SIGINT ? "SIGINT" : "SIGTERM", 0},
              {"delay", NULL, delay});
    if (delay == 0) {
        stop(&drain->timer);
        return;
    }
    acceptor_set_phase(drain->port, SERVICE_DRAINING);
    start_timer(drain, stop, delay * 1000);
}

/* Only replies of the admin port are left. */
static void end_admin(uv_timer_t *timer)
{
    struct drain *drain = timer->data;

    if (drain->admin->fd < 0) /* on_loop_done() has closed it */
        acceptor_set_phase(drain->admin, SERVICE_ABORTING);
}

static void on_signal(uv_signal_t *handle, int signal)
{
    struct drain *drain = handle->data;

    if (atomic_load(&drain->done_count) >= drain->port->loop_count) {
        end_admin(&drain->timer);
        return;
    }
    switch (service_get_phase(drain->port->service)) {
    case SERVICE_RUNNING:
        start(drain, signal);
        break;
    case SERVICE_DRAINING:
    case SERVICE_STOPPING:
        abort_requests(&drain->timer);
        break;
    case SERVICE_ABORTING:
        break;
    }
}

static void on_loop_done(uv_async_t *async)
{
    struct drain *drain = async->data;
    int left = drain->port->loop_count - atomic_load(&drain->done_count);

    /* The loop of the admin port ends last. */
    if (left == 0 && drain->admin->loop_count > 0) {
        acceptor_close(drain->admin);
        acceptor_set_phase(drain->admin, SERVICE_STOPPING);
        start_timer(drain, end_admin, ADMIN_MS);
    } else if (left <= 0) {
        uv_stop(async->loop);
    }
}

bool drain_init(struct drain *drain, uv_loop_t *uv, struct acceptor *port,
                struct acceptor *admin, struct status *st)
{
    int error;

    *drain = (struct drain){.port = port, .admin = admin};
    if ((error = uv_signal_init(uv, &drain->terminate)) != 0 ||
        (error = uv_signal_init(uv, &drain->interrupt)) != 0 ||
        (error = uv_async_init(uv, &drain->loop_done, on_loop_done)) != 0)
        return status_fail(st, STATUS_NO_MEMORY, "cannot wait for signals: %s",
                           uv_strerror(error));
    uv_timer_init(uv, &drain->timer);
    drain->terminate.data = drain->interrupt.data = drain->timer.data =
        drain->loop_done.data = drain;
    uv_signal_start(&drain->terminate, on_signal, SIGTERM);
    uv_signal_start(&drain->interrupt, on_signal, SIGINT);
    return true;
}

void drain_loop_done(void *context)
{
    struct drain *drain = context;

    atomic_fetch_add(&drain->done_count, 1);
    uv_async_send(&drain->loop_done);
}
