#include "server/process/watchdog.h"

enum {
    PER_LIMIT = 2, /* signs of life in the time that the manager allows */
    /* Threads that were late are looked at so often in a period: they may be
     * late by half of the limit and more before the manager loses patience. */
    LOOKS = 8,
};

static void ask_loops(struct acceptor *acceptor)
{
    for (int i = 0; i < acceptor->entry.loop_count; i++)
        atomic_store(&acceptor->entry.loops[i].context.is_alive, false);
}

static bool loops_are_alive(const struct acceptor *acceptor)
{
    for (int i = 0; i < acceptor->entry.loop_count; i++)
        if (!atomic_load(&acceptor->entry.loops[i].context.is_alive))
            return false;
    return true;
}

void watchdog_ask(struct watchdog *watchdog)
{
    ask_loops(watchdog->port);
    ask_loops(watchdog->admin);
    workers_ask(&watchdog->port->service->workers);
}

bool watchdog_sees_life(const struct watchdog *watchdog)
{
    return loops_are_alive(watchdog->port) &&
           loops_are_alive(watchdog->admin) &&
           workers_are_alive(&watchdog->port->service->workers);
}

static void on_timer(uv_timer_t *timer)
{
    struct watchdog *watchdog = timer->data;
    uint64_t wait_ms = watchdog->period_ms;

    if (watchdog_sees_life(watchdog)) {
        watchdog->on_alive(watchdog->context);
        watchdog_ask(watchdog);
    } else {
        wait_ms /= LOOKS;
    }
    uv_timer_start(timer, on_timer, wait_ms, 0);
}

void watchdog_start(struct watchdog *watchdog, uv_loop_t *uv, uint64_t limit_us)
{
    watchdog->period_ms = limit_us / PER_LIMIT / 1000;
    if (watchdog->period_ms < LOOKS)
        watchdog->period_ms = LOOKS;
    uv_timer_init(uv, &watchdog->timer);
    watchdog->timer.data = watchdog;
    watchdog_ask(watchdog);
    uv_timer_start(&watchdog->timer, on_timer, watchdog->period_ms, 0);
}

void watchdog_stop(struct watchdog *watchdog)
{
    if (watchdog->timer.data)
        uv_timer_stop(&watchdog->timer);
}
