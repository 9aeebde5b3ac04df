#include "server/process/drain_machine.h"

enum {
    /* Time that aborted requests have to end. A worker checks its cancel flag
     * about once for each MiB. */
    ABORT_MS = 2000,
    /* A client may know that it is connected before the kernel here does. */
    REFUSE_MS = 100,
    ADMIN_MS = 200, /* for replies that the admin port is still sending */
};

static enum drain_state on_signal(const struct drain_machine *machine)
{
    switch (machine->state) {
    case DRAIN_SERVING:
        return machine->delay_ms > 0 ? DRAIN_DELAY : DRAIN_REFUSING;
    case DRAIN_DELAY:
    case DRAIN_REFUSING:
    case DRAIN_STOPPING:
        return DRAIN_ABORTING;
    case DRAIN_ADMIN:
        return DRAIN_ADMIN_ABORTING;
    default:
        return machine->state;
    }
}

static enum drain_state on_timer(const struct drain_machine *machine)
{
    switch (machine->state) {
    case DRAIN_DELAY:
        return DRAIN_REFUSING;
    case DRAIN_REFUSING:
        return DRAIN_STOPPING;
    case DRAIN_STOPPING:
        return DRAIN_ABORTING;
    case DRAIN_ABORTING:
        return DRAIN_STUCK;
    case DRAIN_ADMIN:
        return DRAIN_ADMIN_ABORTING;
    default:
        return machine->state;
    }
}

static enum drain_state next_state(const struct drain_machine *machine,
                                   enum drain_event event)
{
    bool ends =
        machine->state == DRAIN_STOPPING || machine->state == DRAIN_ABORTING;
    bool admin_ends =
        machine->state == DRAIN_ADMIN || machine->state == DRAIN_ADMIN_ABORTING;

    switch (event) {
    case DRAIN_ON_SIGNAL:
        return on_signal(machine);
    case DRAIN_ON_TIMER:
        return on_timer(machine);
    case DRAIN_ON_PORT_DONE:
        if (ends)
            return machine->has_admin ? DRAIN_ADMIN : DRAIN_ENDED;
        break;
    case DRAIN_ON_ADMIN_DONE:
        if (admin_ends)
            return DRAIN_ENDED;
        break;
    }
    return machine->state;
}

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
    enum drain_state next = next_state(machine, event);

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
