#include "server/process/systemd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"

enum {
    FIRST_FD = 3,    /* of those handed over, by the protocol */
    SOCKETS = 2,     /* that are taken */
    NAME_SIZE = 256, /* systemd: 255 characters */
    SEND_TIMEOUT_S = 1,
    MESSAGE_SIZE = LISTEN_TEXT_SIZE + 128,
    PER_LIMIT = 2, /* signs of life in the time that the manager allows */
    /* Threads that were late are looked at so often in a period: they may be
     * late by half of the limit and more before the manager ends the process.
     */
    LOOKS = 8,
};

/* The value of a variable; NULL where it is not set or empty. */
static const char *value_of(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value ? value : NULL;
}

/* Reads the value of a variable, digits alone. Fails with INVALID, which names
 * the variable, the value and the limits. */
static bool read_number(const char *variable, uint64_t least, uint64_t most,
                        uint64_t *value, struct status *st)
{
    const char *text = getenv(variable);
    char *end = NULL;
    bool is_number = *text >= '0' && *text <= '9';

    *value = is_number ? strtoull(text, &end, 10) : 0;
    if (is_number && !*end && *value >= least && *value <= most)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "%s is \"%.100s\", but must be a whole number in "
                       "%" PRIu64 "..%" PRIu64,
                       variable, text, least, most);
}

/* Whether the variable names this process. */
static bool read_pid(const char *variable, bool *is_own, struct status *st)
{
    uint64_t pid;

    if (!read_number(variable, 1, INT32_MAX, &pid, st))
        return false;
    *is_own = pid == (uint64_t)getpid();
    return true;
}

/* The name that systemd gives where LISTEN_FDNAMES has none. */
static const char nameless[] = "unknown";

static bool add(int sockets[LISTEN_PORTS], int fd, const char *name,
                bool is_single, struct status *st)
{
    int *port = NULL;

    if (strcmp(name, "admin") == 0)
        port = &sockets[LISTEN_ADMIN];
    else if (strcmp(name, "http") == 0 ||
             (is_single && strcmp(name, nameless) == 0))
        port = &sockets[LISTEN_HTTP];
    if (!port)
        return status_fail(st, STATUS_INVALID,
                           "LISTEN_FDNAMES: the name of descriptor %d is "
                           "\"%.60s\", but must be http or admin",
                           fd, name);
    if (*port >= 0)
        return status_fail(st, STATUS_INVALID,
                           "LISTEN_FDNAMES: descriptors %d and %d are both "
                           "named %s, but a port has one",
                           *port, fd, name);
    *port = fd;
    return true;
}

bool systemd_read_sockets(int sockets[LISTEN_PORTS], struct status *st)
{
    const char *names = value_of("LISTEN_FDNAMES");
    char name[NAME_SIZE];
    uint64_t count;
    bool is_own;

    for (int i = 0; i < LISTEN_PORTS; i++)
        sockets[i] = -1;
    if (!value_of("LISTEN_PID") || !value_of("LISTEN_FDS"))
        return true;
    if (!read_pid("LISTEN_PID", &is_own, st))
        return false;
    if (!is_own)
        return true;
    if (!read_number("LISTEN_FDS", 0, SOCKETS, &count, st))
        return false;
    for (int i = 0; i < (int)count; i++) {
        int len = names ? (int)strcspn(names, ":") : 0;

        snprintf(name, sizeof(name), "%.*s", len ? len : NAME_SIZE,
                 len ? names : nameless);
        names = names && names[len] ? names + len + 1 : NULL;
        if (!add(sockets, FIRST_FD + i, name, count == 1, st))
            return false;
    }
    return true;
}

/* Reads NOTIFY_SOCKET: an abstract name begins with a NUL and ends without one.
 */
static bool parse_address(struct systemd *manager, const char *path,
                          struct status *st)
{
    size_t len = strlen(path);

    if ((*path != '/' && *path != '@') || len < 2 ||
        len >= sizeof(manager->address.sun_path))
        return status_fail(st, STATUS_INVALID,
                           "NOTIFY_SOCKET is \"%.100s\", but must be the path "
                           "of a socket, or @ and an abstract name, of 2..%d "
                           "bytes",
                           path, (int)sizeof(manager->address.sun_path) - 1);
    manager->address.sun_family = AF_UNIX;
    memcpy(manager->address.sun_path, path, len + 1);
    if (*path == '@')
        manager->address.sun_path[0] = '\0';
    manager->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len +
                               (*path == '/'));
    return true;
}

bool systemd_init(struct systemd *manager, struct log *log, struct status *st)
{
    /* A manager that does not read holds the daemon up no longer. */
    const struct timeval timeout = {.tv_sec = SEND_TIMEOUT_S};
    const char *path = value_of("NOTIFY_SOCKET");
    bool is_own = true;

    *manager = (struct systemd){.log = log, .fd = -1};
    if (path) {
        if (!parse_address(manager, path, st))
            return false;
        manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (manager->fd < 0)
            return status_fail(st, STATUS_INVALID,
                               "no socket for the service manager: %s",
                               strerror(errno));
        setsockopt(manager->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout,
                   sizeof(timeout));
    }
    if (!value_of("WATCHDOG_USEC"))
        return true;
    if (value_of("WATCHDOG_PID") && !read_pid("WATCHDOG_PID", &is_own, st))
        return false;
    return !is_own || read_number("WATCHDOG_USEC", 1, INT64_MAX,
                                  &manager->watchdog_us, st);
}

/* The address is looked up each time: a manager that was started again has a
 * new socket under the same name. */
__attribute__((format(printf, 2, 3))) static void
tell(const struct systemd *manager, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list values;

    if (manager->fd < 0)
        return;
    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    if (sendto(manager->fd, text, strlen(text), MSG_NOSIGNAL,
               (const struct sockaddr *)&manager->address, manager->len) < 0)
        log_event(manager->log, LOG_WARNING, "cannot tell the service manager",
                  {"reason", strerror(errno), 0});
}

/* Whether all threads that serve have shown life since they were asked. */
static bool is_alive(const struct systemd *manager)
{
    const struct acceptor *const ports[] = {manager->port, manager->admin};

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < ports[i]->loop_count; j++)
            if (!atomic_load(&ports[i]->loops[j].context.is_alive))
                return false;
    return workers_are_alive(&manager->port->service->workers);
}

static void ask_for_life(const struct systemd *manager)
{
    const struct acceptor *const ports[] = {manager->port, manager->admin};

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < ports[i]->loop_count; j++)
            atomic_store(&ports[i]->loops[j].context.is_alive, false);
    workers_ask(&manager->port->service->workers);
}

static void on_timer(uv_timer_t *timer)
{
    struct systemd *manager = timer->data;
    uint64_t wait_ms = manager->period_ms;

    if (is_alive(manager)) {
        tell(manager, "WATCHDOG=1");
        ask_for_life(manager);
    } else {
        wait_ms /= LOOKS;
    }
    uv_timer_start(timer, on_timer, wait_ms, 0);
}

static void start_watchdog(struct systemd *manager, uv_loop_t *uv)
{
    if (manager->fd < 0 || manager->watchdog_us == 0)
        return;
    manager->period_ms = manager->watchdog_us / PER_LIMIT / 1000;
    if (manager->period_ms < LOOKS)
        manager->period_ms = LOOKS;
    uv_timer_init(uv, &manager->timer);
    manager->timer.data = manager;
    ask_for_life(manager);
    uv_timer_start(&manager->timer, on_timer, manager->period_ms, 0);
}

void systemd_ready(struct systemd *manager, struct acceptor *port,
                   struct acceptor *admin, uv_loop_t *uv)
{
    char address[LISTEN_TEXT_SIZE];

    REQUIRE(!manager->port);
    manager->port = port;
    manager->admin = admin;
    start_watchdog(manager, uv);
    listen_text(&port->address, address);
    /* A path may have a newline, which would end the status. */
    for (char *c = address; *c; c++)
        if (*c == '\n')
            *c = '?';
    snprintf(manager->serving, sizeof(manager->serving), "serving at %s",
             address);
    tell(manager, "READY=1\nSTATUS=%s", manager->serving);
}

/* The time is how the manager knows that this answers its last signal. */
void systemd_reloading(struct systemd *manager)
{
    tell(manager,
         "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\nSTATUS=reading "
         "files again",
         clock_now_us());
}

void systemd_reloaded(struct systemd *manager, bool ok)
{
    tell(manager, "READY=1\nSTATUS=%s%s", manager->serving,
         ok ? "" : "; the last reload failed, the log has the reason");
}

/* The manager kills a process that takes longer than TimeoutStopSec=, which
 * need not be in step with the options of the drain: it is asked for as long as
 * those allow. It expects no more signs of life. */
void systemd_stopping(struct systemd *manager, uint64_t limit_ms)
{
    if (manager->timer.data)
        uv_timer_stop(&manager->timer);
    tell(manager,
         "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRIu64
         "\nSTATUS=stopping within %" PRIu64 " s",
         limit_ms * 1000, (limit_ms + 999) / 1000);
}
