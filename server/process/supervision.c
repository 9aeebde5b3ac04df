#include "server/process/supervision.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/base/clock.h"

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

enum { MESSAGE_SIZE = LISTEN_TEXT_SIZE + 128 };

__attribute__((format(printf, 2, 3))) static void
tell(const struct supervision *supervision, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    struct status st;
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    if (!systemd_send(&supervision->notify, text, &st))
        log_event(supervision->log, LOG_WARNING,
                  "cannot tell the service manager", {"reason", st.message, 0});
}

bool supervision_init(struct supervision *supervision, struct log *log,
                      struct status *st)
{
    *supervision = (struct supervision){.log = log, .notify = {.fd = -1}};
    return systemd_open(&supervision->notify, getenv("NOTIFY_SOCKET"), st) &&
           systemd_watchdog_us(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"),
                               &supervision->watchdog_us, st);
}

static void ask_for_life(const struct supervision *supervision)
{
    ask_loops(supervision->port);
    ask_loops(supervision->admin);
    workers_ask(&supervision->port->service->workers);
}

static bool sees_life(const struct supervision *supervision)
{
    return loops_are_alive(supervision->port) &&
           loops_are_alive(supervision->admin) &&
           workers_are_alive(&supervision->port->service->workers);
}

static void on_timer(uv_timer_t *timer)
{
    struct supervision *supervision = timer->data;
    uint64_t wait_ms = supervision->period_ms;

    if (sees_life(supervision)) {
        tell(supervision, "WATCHDOG=1");
        ask_for_life(supervision);
    } else {
        wait_ms /= LOOKS;
    }
    uv_timer_start(timer, on_timer, wait_ms, 0);
}

static void start_watchdog(struct supervision *supervision, uv_loop_t *uv)
{
    if (!systemd_is_on(&supervision->notify) || supervision->watchdog_us == 0)
        return;
    supervision->period_ms = supervision->watchdog_us / PER_LIMIT / 1000;
    if (supervision->period_ms < LOOKS)
        supervision->period_ms = LOOKS;
    uv_timer_init(uv, &supervision->timer);
    supervision->timer.data = supervision;
    ask_for_life(supervision);
    uv_timer_start(&supervision->timer, on_timer, supervision->period_ms, 0);
}

/* A path may have a newline, which would end the status. */
static void describe(struct supervision *supervision, struct acceptor *port)
{
    char address[LISTEN_TEXT_SIZE];

    listen_text(&port->address, address);
    for (char *c = address; *c; c++)
        if (*c == '\n')
            *c = '?';
    snprintf(supervision->serving, sizeof(supervision->serving),
             "serving at %s", address);
}

void supervision_ready(struct supervision *supervision, struct acceptor *port,
                       struct acceptor *admin, uv_loop_t *uv)
{
    describe(supervision, port);
    supervision->port = port;
    supervision->admin = admin;
    start_watchdog(supervision, uv);
    tell(supervision, "READY=1\nSTATUS=%s", supervision->serving);
}

/* The time is how the manager knows that this answers its last signal. */
void supervision_reloading(struct supervision *supervision)
{
    tell(supervision,
         "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\nSTATUS=reading "
         "files again",
         clock_now_us());
}

void supervision_reloaded(struct supervision *supervision, bool ok)
{
    tell(supervision, "READY=1\nSTATUS=%s%s", supervision->serving,
         ok ? "" : "; the last reload failed, the log has the reason");
}

/* The manager kills whoever takes longer than TimeoutStopSec=, which need not
 * be in step with the options of the drain: it is asked for as long as those
 * allow. It expects no more signs of life. */
void supervision_stopping(struct supervision *supervision, uint64_t limit_ms)
{
    if (supervision->timer.data)
        uv_timer_stop(&supervision->timer);
    tell(supervision,
         "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRIu64
         "\nSTATUS=stopping within %" PRIu64 " s",
         limit_ms * 1000, (limit_ms + 999) / 1000);
}

void supervision_free(struct supervision *supervision)
{
    systemd_close(&supervision->notify);
}
