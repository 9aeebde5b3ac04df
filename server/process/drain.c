#include "server/process/drain.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Time that aborted requests have to end. A worker checks its cancel flag about
 * once for each MiB. */
enum { ABORT_MS = 2000 };

static void set_phase(struct drain *drain, enum service_phase phase)
{
    struct acceptor *acceptor = drain->acceptor;

    atomic_store(&acceptor->service->phase, phase);
    for (int i = 0; i < acceptor->loop_count; i++)
        loop_wake(&acceptor->loops[i]);
}

/* A worker does not end: the process exits without it. */
static void on_stuck(uv_timer_t *timer)
{
    struct drain *drain = timer->data;

    log_message(drain->acceptor->service->jobs.log, LOG_ERROR,
                "a request does not end: exiting without it");
    _exit(1);
}

static void abort_requests(struct drain *drain)
{
    log_message(drain->acceptor->service->jobs.log, LOG_WARNING,
                "cutting off running requests");
    drain->has_aborted = true;
    acceptor_close(drain->acceptor);
    set_phase(drain, SERVICE_ABORTING);
    uv_timer_start(&drain->timer, on_stuck, ABORT_MS, 0);
}

static void on_exit_timeout(uv_timer_t *timer)
{
    abort_requests(timer->data);
}

static void stop(struct drain *drain)
{
    const struct options *options = drain->acceptor->service->jobs.options;

    log_message(drain->acceptor->service->jobs.log, LOG_INFO, "stopping");
    acceptor_close(drain->acceptor);
    set_phase(drain, SERVICE_STOPPING);
    uv_timer_start(&drain->timer, on_exit_timeout,
                   (uint64_t)options->exit_timeout_secs * 1000, 0);
}

static void on_delay_over(uv_timer_t *timer)
{
    stop(timer->data);
}

static void start(struct drain *drain, int signal)
{
    const struct options *options = drain->acceptor->service->jobs.options;

    log_event(drain->acceptor->service->jobs.log, LOG_INFO, "draining",
              {"signal", signal == SIGINT ? "SIGINT" : "SIGTERM", 0},
              {"delay", NULL, options->drain_delay});
    if (options->drain_delay == 0) {
        stop(drain);
        return;
    }
    set_phase(drain, SERVICE_DRAINING);
    uv_timer_start(&drain->timer, on_delay_over,
                   (uint64_t)options->drain_delay * 1000, 0);
}

static void on_signal(uv_signal_t *handle, int signal)
{
    struct drain *drain = handle->data;

    switch (service_get_phase(drain->acceptor->service)) {
    case SERVICE_RUNNING:
        start(drain, signal);
        break;
    case SERVICE_DRAINING:
    case SERVICE_STOPPING:
        abort_requests(drain);
        break;
    case SERVICE_ABORTING:
        break;
    }
}

static void on_loop_done(uv_async_t *async)
{
    struct drain *drain = async->data;

    int left = drain->acceptor->loop_count - atomic_load(&drain->done_count);

    /* The loop of the admin port ends last. */
    if (left == 0 && drain->admin->on)
        admin_stop(drain->admin);
    else if (left <= 0)
        uv_stop(async->loop);
}

void drain_init(struct drain *drain, uv_loop_t *uv, struct acceptor *acceptor,
                struct admin *admin)
{
    *drain = (struct drain){.acceptor = acceptor, .admin = admin};
    uv_signal_init(uv, &drain->terminate);
    uv_signal_init(uv, &drain->interrupt);
    uv_timer_init(uv, &drain->timer);
    uv_async_init(uv, &drain->loop_done, on_loop_done);
    drain->terminate.data = drain->interrupt.data = drain->timer.data =
        drain->loop_done.data = drain;
    uv_signal_start(&drain->terminate, on_signal, SIGTERM);
    uv_signal_start(&drain->interrupt, on_signal, SIGINT);
}

void drain_loop_done(void *context)
{
    struct drain *drain = context;

    atomic_fetch_add(&drain->done_count, 1);
    uv_async_send(&drain->loop_done);
}
