#include "server/process/drain.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/core/require.h"

enum {
    /* Time that aborted requests have to end. A worker checks its cancel flag
     * about once for each MiB. */
    ABORT_MS = 2000,
    /* A client may know that it is connected before the kernel here does. */
    REFUSE_MS = 100,
    ADMIN_MS = 200, /* for replies that the admin port is still sending */
};

/* The state after each event, in the order of enum drain_event. */
static const enum drain_state steps[][4] = {
    [DRAIN_SERVING] = {DRAIN_DELAY, DRAIN_SERVING, DRAIN_SERVING,
                       DRAIN_SERVING},
    [DRAIN_DELAY] = {DRAIN_ABORTING, DRAIN_REFUSING, DRAIN_DELAY, DRAIN_DELAY},
    [DRAIN_REFUSING] = {DRAIN_ABORTING, DRAIN_STOPPING, DRAIN_REFUSING,
                        DRAIN_REFUSING},
    [DRAIN_STOPPING] = {DRAIN_ABORTING, DRAIN_ABORTING, DRAIN_ADMIN,
                        DRAIN_STOPPING},
    [DRAIN_ABORTING] = {DRAIN_ABORTING, DRAIN_STUCK, DRAIN_ADMIN,
                        DRAIN_ABORTING},
    [DRAIN_ADMIN] = {DRAIN_ADMIN_ABORTING, DRAIN_ADMIN_ABORTING, DRAIN_ADMIN,
                     DRAIN_ENDED},
    [DRAIN_ADMIN_ABORTING] = {DRAIN_ADMIN_ABORTING, DRAIN_ADMIN_ABORTING,
                              DRAIN_ADMIN_ABORTING, DRAIN_ENDED},
    [DRAIN_ENDED] = {DRAIN_ENDED, DRAIN_ENDED, DRAIN_ENDED, DRAIN_ENDED},
    [DRAIN_STUCK] = {DRAIN_STUCK, DRAIN_STUCK, DRAIN_STUCK, DRAIN_STUCK},
};

static int64_t time_in(const struct drain_machine *machine)
{
    switch (machine->state) {
    case DRAIN_DELAY:
        return machine->delay_ms;
    case DRAIN_REFUSING:
        return REFUSE_MS;
    case DRAIN_STOPPING:
        return machine->exit_ms;
    case DRAIN_ABORTING:
        return ABORT_MS;
    case DRAIN_ADMIN:
        return ADMIN_MS;
    default:
        return -1;
    }
}

bool drain_machine_on(struct drain_machine *machine, enum drain_event event,
                      int64_t *timer_ms)
{
    enum drain_state next = steps[machine->state][event];

    /* Without a delay, and without an admin port, their states are left out. */
    if (next == DRAIN_DELAY && machine->delay_ms == 0)
        next = DRAIN_REFUSING;
    if (next == DRAIN_ADMIN && !machine->has_admin)
        next = DRAIN_ENDED;
    /* It only goes on: an ended stage never begins again. */
    REQUIRE_WITH(next >= machine->state, "%d to %d", machine->state, next);
    if (next == machine->state)
        return false;
    machine->state = next;
    *timer_ms = time_in(machine);
    return true;
}

int64_t drain_machine_limit_ms(const struct drain_machine *machine)
{
    return machine->delay_ms + REFUSE_MS + machine->exit_ms + ABORT_MS +
           (machine->has_admin ? ADMIN_MS + ABORT_MS : 0);
}

static const struct job_context *jobs_of(const struct drain *drain)
{
    return &drain->port->service->jobs;
}

static void handle(struct drain *drain, enum drain_event event);

static void on_timer(uv_timer_t *timer)
{
    handle(timer->data, DRAIN_ON_TIMER);
}

/* Of the port and, if it has one, the other of its pair, which has the same
 * loops and phase. */
static void set_phase(struct acceptor *port, void (*act)(struct acceptor *),
                      enum service_phase phase)
{
    act(port);
    if (port->other)
        act(port->other);
    acceptor_set_phase(port, phase);
}

/* What is done when the state is entered. */
static void enter(struct drain *drain)
{
    switch (drain->machine.state) {
    case DRAIN_SERVING:
        break;
    case DRAIN_DELAY:
        acceptor_set_phase(drain->port, SERVICE_DRAINING);
        break;
    case DRAIN_REFUSING:
        log_message(jobs_of(drain)->log, LOG_INFO, "stopping");
        set_phase(drain->port, acceptor_refuse, SERVICE_DRAINING);
        break;
    case DRAIN_STOPPING:
        set_phase(drain->port, acceptor_finish, SERVICE_STOPPING);
        break;
    case DRAIN_ABORTING:
        set_phase(drain->port, acceptor_abort, SERVICE_ABORTING);
        break;
    case DRAIN_ADMIN:
        set_phase(drain->admin, acceptor_finish, SERVICE_STOPPING);
        break;
    case DRAIN_ADMIN_ABORTING:
        set_phase(drain->admin, acceptor_abort, SERVICE_ABORTING);
        break;
    case DRAIN_ENDED:
        uv_stop(drain->loop_done.loop);
        break;
    case DRAIN_STUCK:
        log_message(jobs_of(drain)->log, LOG_ERROR,
                    "a request does not end: exiting without it");
        _exit(1);
    }
}

static void handle(struct drain *drain, enum drain_event event)
{
    int64_t timer_ms;

    if (!drain_machine_on(&drain->machine, event, &timer_ms))
        return;
    if (timer_ms >= 0)
        uv_timer_start(&drain->timer, on_timer, (uint64_t)timer_ms, 0);
    else
        uv_timer_stop(&drain->timer);
    enter(drain);
}

static void on_signal(uv_signal_t *signal, int number)
{
    struct drain *drain = signal->data;
    const struct options *options = jobs_of(drain)->options;

    if (drain->machine.state == DRAIN_SERVING) {
        drain->machine = (struct drain_machine){
            .delay_ms = options->drain_delay * 1000,
            .exit_ms = options->exit_timeout_secs * 1000,
            .has_admin = drain->admin->loop_count > 0,
        };
        systemd_stopping(drain->manager,
                         (uint64_t)drain_machine_limit_ms(&drain->machine));
        log_event(jobs_of(drain)->log, LOG_INFO, "draining",
                  {"signal", number == SIGINT ? "SIGINT" : "SIGTERM", 0},
                  {"delay", NULL, options->drain_delay});
    }
    handle(drain, DRAIN_ON_SIGNAL);
}

/* The loop of the admin port ends last. */
static void on_loop_done(uv_async_t *async)
{
    struct drain *drain = async->data;
    int left = drain->port->loop_count - atomic_load(&drain->done_count);

    REQUIRE_WITH(left >= -drain->admin->loop_count, "%d", left);
    if (left <= 0)
        handle(drain, DRAIN_ON_PORT_DONE);
    if (left < 0)
        handle(drain, DRAIN_ON_ADMIN_DONE);
}

bool drain_init(struct drain *drain, uv_loop_t *uv, struct acceptor *port,
                struct acceptor *admin, struct systemd *manager,
                struct status *st)
{
    int error;

    *drain = (struct drain){.port = port, .admin = admin, .manager = manager};
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
