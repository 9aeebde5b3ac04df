#include "server/process/main_loop.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/core/require.h"
#include "server/config/host_limits.h"

enum {
    PERIOD_MS = 5000,
    KEEP_PERIODS = 6, /* that an unused buffer is kept */
    /* The heap is trimmed when so many bytes came or went since it was. */
    TRIM_BYTES = 8 << 20,

    /* Time that aborted requests have to end. A worker checks its cancel flag
     * about once for each MiB. */
    ABORT_MS = 2000,
    /* A client may know that it is connected before the kernel here does. */
    REFUSE_MS = 100,
    ADMIN_MS = 200, /* for replies that the admin port is still sending */
};

/* The state after each event, in the order of enum drain_event; DRAIN_SERVING,
 * to which nothing returns: the state stays. */
static const enum drain_state steps[][4] = {
    [DRAIN_SERVING] = {DRAIN_DELAY},
    [DRAIN_DELAY] = {DRAIN_ABORTING, DRAIN_REFUSING},
    [DRAIN_REFUSING] = {DRAIN_ABORTING, DRAIN_STOPPING},
    [DRAIN_STOPPING] = {DRAIN_ABORTING, DRAIN_ABORTING, DRAIN_ADMIN},
    [DRAIN_ABORTING] = {DRAIN_SERVING, DRAIN_STUCK, DRAIN_ADMIN},
    [DRAIN_ADMIN] = {DRAIN_ADMIN_ABORTING, DRAIN_ADMIN_ABORTING, DRAIN_SERVING,
                     DRAIN_ENDED},
    [DRAIN_ADMIN_ABORTING] = {[DRAIN_ON_ADMIN_DONE] = DRAIN_ENDED},
    [DRAIN_STUCK] = {DRAIN_SERVING},
};

bool main_loop_drain(struct drain *drain, enum drain_event event,
                     int64_t *timer_ms)
{
    const int64_t times[] = {
        [DRAIN_DELAY] = drain->delay_ms,
        [DRAIN_REFUSING] = REFUSE_MS,
        [DRAIN_STOPPING] = drain->exit_ms,
        [DRAIN_ABORTING] = ABORT_MS,
        [DRAIN_ADMIN] = ADMIN_MS,
        [DRAIN_ADMIN_ABORTING] = -1,
        [DRAIN_ENDED] = -1,
        [DRAIN_STUCK] = -1,
    };
    enum drain_state next = steps[drain->state][event];

    /* Without a delay, and without an admin port, their states are left out. */
    if (next == DRAIN_DELAY && drain->delay_ms == 0)
        next = DRAIN_REFUSING;
    if (next == DRAIN_ADMIN && !drain->has_admin)
        next = DRAIN_ENDED;
    if (next == DRAIN_SERVING)
        return false;
    /* It only goes on: an ended stage never begins again. */
    REQUIRE_WITH(next > drain->state, "%d to %d", drain->state, next);
    drain->state = next;
    *timer_ms = times[next];
    return true;
}

int64_t main_loop_drain_limit_ms(const struct drain *drain)
{
    return drain->delay_ms + REFUSE_MS + drain->exit_ms + ABORT_MS +
           (drain->has_admin ? ADMIN_MS + ABORT_MS : 0);
}

static struct job_context *jobs_of(struct main_loop *loop)
{
    return &loop->port->service->jobs;
}

static void handle(struct main_loop *loop, enum drain_event event);

static void on_step(uv_timer_t *timer)
{
    handle(timer->data, DRAIN_ON_TIMER);
}

/* What is done at a port when a state is entered: at the admin port from
 * DRAIN_ADMIN on. */
static const struct step {
    void (*act)(struct acceptor *port);
    enum service_phase phase;
} port_steps[] = {
    [DRAIN_DELAY] = {NULL, SERVICE_DRAINING},
    [DRAIN_REFUSING] = {acceptor_refuse, SERVICE_DRAINING},
    [DRAIN_STOPPING] = {acceptor_finish, SERVICE_STOPPING},
    [DRAIN_ABORTING] = {acceptor_abort, SERVICE_ABORTING},
    [DRAIN_ADMIN] = {acceptor_finish, SERVICE_STOPPING},
    [DRAIN_ADMIN_ABORTING] = {acceptor_abort, SERVICE_ABORTING},
};

/* The other port of a pair has the same loops and phase. */
static void step_port(struct acceptor *port, const struct step *step)
{
    if (step->act)
        step->act(port);
    if (step->act && port->other)
        step->act(port->other);
    acceptor_set_phase(port, step->phase);
}

static void enter(struct main_loop *loop, enum drain_state state)
{
    struct log *log = jobs_of(loop)->log;

    if (state == DRAIN_REFUSING)
        log_message(log, LOG_INFO, "stopping");
    if (state <= DRAIN_ADMIN_ABORTING)
        step_port(state < DRAIN_ADMIN ? loop->port : loop->admin,
                  &port_steps[state]);
    if (state == DRAIN_ENDED)
        uv_stop(&loop->uv);
    if (state == DRAIN_STUCK) {
        log_message(log, LOG_ERROR,
                    "a request does not end: exiting without it");
        _exit(1);
    }
}

static void handle(struct main_loop *loop, enum drain_event event)
{
    int64_t timer_ms;

    if (!main_loop_drain(&loop->drain, event, &timer_ms))
        return;
    if (timer_ms >= 0)
        uv_timer_start(&loop->step, on_step, (uint64_t)timer_ms, 0);
    else
        uv_timer_stop(&loop->step);
    enter(loop, loop->drain.state);
}

static void on_end(uv_signal_t *signal, int number)
{
    struct main_loop *loop = signal->data;
    const struct options *options = jobs_of(loop)->options;

    if (loop->drain.state == DRAIN_SERVING) {
        loop->drain = (struct drain){
            .delay_ms = options->drain_delay * 1000,
            .exit_ms = options->exit_timeout_secs * 1000,
            .has_admin = loop->admin->loop_count > 0,
        };
        systemd_stopping(loop->manager,
                         (uint64_t)main_loop_drain_limit_ms(&loop->drain));
        log_event(jobs_of(loop)->log, LOG_INFO, "draining",
                  {"signal", number == SIGINT ? "SIGINT" : "SIGTERM", 0},
                  {"delay", NULL, options->drain_delay});
    }
    handle(loop, DRAIN_ON_SIGNAL);
}

/* The loop of the admin port ends last. */
static void on_loop_done(uv_async_t *async)
{
    struct main_loop *loop = async->data;
    int left = loop->port->loop_count - atomic_load(&loop->done_count);

    REQUIRE_WITH(left >= -loop->admin->loop_count, "%d", left);
    if (left <= 0)
        handle(loop, DRAIN_ON_PORT_DONE);
    if (left < 0)
        handle(loop, DRAIN_ON_ADMIN_DONE);
}

void main_loop_note_done(void *context)
{
    struct main_loop *loop = context;

    atomic_fetch_add(&loop->done_count, 1);
    uv_async_send(&loop->loop_done);
}

/* Bytes that are resident and not in use by the heap. */
static int64_t slack(void)
{
    return host_limits_resident() - (int64_t)mallinfo2().uordblks;
}

static bool reload_tls(struct service *service)
{
    bool ok = tls_reload(&service->tls, service->jobs.log);

    service_note_tls(service, ok);
    return ok;
}

static void on_period(uv_timer_t *timer)
{
    struct main_loop *loop = timer->data;
    struct service *service = loop->port->service;

    budget_trim(&service->jobs.budget, KEEP_PERIODS);
    /* The heap does not return free memory below memory in use, and each thread
     * has its own: without trimming, the process keeps the sum of what each
     * held at most, be it connections, calls or bodies. */
    if (llabs(slack() - loop->slack) >= TRIM_BYTES) {
        malloc_trim(0);
        loop->slack = slack();
    }
    if (tls_has_changed(&service->tls))
        reload_tls(service);
}

static void on_reload(uv_signal_t *signal, int number)
{
    struct main_loop *loop = signal->data;
    struct service *service = loop->port->service;
    struct served_models *models = &service->jobs.models;
    bool ok = true;

    (void)number;
    systemd_reloading(loop->manager);
    if (models->path || !service->tls.on) {
        served_models_reload(models, service->jobs.log);
        ok = !models->path || atomic_load(&models->reload.ok);
    }
    if (service->tls.on)
        ok = reload_tls(service) && ok;
    systemd_reloaded(loop->manager, ok);
}

bool main_loop_init(struct main_loop *loop, struct acceptor *port,
                    struct acceptor *admin, struct systemd *manager,
                    struct status *st)
{
    uv_loop_t *uv = &loop->uv;
    int error;

    *loop = (struct main_loop){
        .port = port, .admin = admin, .manager = manager, .slack = slack()};
    if ((error = uv_loop_init(uv)) != 0)
        return status_fail(st, STATUS_NO_MEMORY, "cannot make a loop: %s",
                           uv_strerror(error));
    if ((error = uv_signal_init(uv, &loop->terminate)) != 0 ||
        (error = uv_signal_init(uv, &loop->interrupt)) != 0 ||
        (error = uv_signal_init(uv, &loop->reload)) != 0 ||
        (error = uv_async_init(uv, &loop->loop_done, on_loop_done)) != 0)
        return status_fail(st, STATUS_NO_MEMORY, "cannot wait for signals: %s",
                           uv_strerror(error));
    uv_timer_init(uv, &loop->step);
    uv_timer_init(uv, &loop->period);
    loop->terminate.data = loop->interrupt.data = loop->reload.data =
        loop->loop_done.data = loop->step.data = loop->period.data = loop;
    uv_signal_start(&loop->terminate, on_end, SIGTERM);
    uv_signal_start(&loop->interrupt, on_end, SIGINT);
    uv_signal_start(&loop->reload, on_reload, SIGHUP);
    uv_timer_start(&loop->period, on_period, PERIOD_MS, PERIOD_MS);
    return true;
}
