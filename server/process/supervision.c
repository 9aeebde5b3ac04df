#include "server/process/supervision.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/clock/clock.h"

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
    if (!notify_send(&supervision->notify, text, &st))
        log_event(supervision->log, LOG_WARNING,
                  "cannot tell the service manager", {"reason", st.message, 0});
}

bool supervision_init(struct supervision *supervision, struct log *log,
                      struct status *st)
{
    *supervision = (struct supervision){.log = log, .notify = {.fd = -1}};
    return notify_open(&supervision->notify, getenv("NOTIFY_SOCKET"), st) &&
           notify_watchdog_us(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"),
                              &supervision->watchdog_us, st);
}

static void on_alive(void *supervision)
{
    tell(supervision, "WATCHDOG=1");
}

static void start_watchdog(struct supervision *supervision,
                           struct acceptor *port, struct acceptor *admin,
                           uv_loop_t *uv)
{
    struct watchdog *watchdog = &supervision->watchdog;

    if (!notify_is_on(&supervision->notify) || supervision->watchdog_us == 0)
        return;
    watchdog->port = port;
    watchdog->admin = admin;
    watchdog->on_alive = on_alive;
    watchdog->context = supervision;
    watchdog_start(watchdog, uv, supervision->watchdog_us);
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
    start_watchdog(supervision, port, admin, uv);
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
    watchdog_stop(&supervision->watchdog);
    tell(supervision,
         "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRIu64
         "\nSTATUS=stopping within %" PRIu64 " s",
         limit_ms * 1000, (limit_ms + 999) / 1000);
}

void supervision_free(struct supervision *supervision)
{
    notify_close(&supervision->notify);
}
