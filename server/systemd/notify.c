#include "server/systemd/notify.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "server/systemd/number.h"

enum { SEND_TIMEOUT_S = 1 };

/* An abstract name begins with a NUL and ends without one. */
static bool parse(struct notify *notify, const char *path, struct status *st)
{
    size_t len = strlen(path);

    if ((*path != '/' && *path != '@') || len < 2 ||
        len >= sizeof(notify->address.sun_path))
        return status_fail(st, STATUS_INVALID,
                           "NOTIFY_SOCKET is \"%.100s\", but must be the path "
                           "of a socket, or @ and an abstract name, of 2..%d "
                           "bytes",
                           path, (int)sizeof(notify->address.sun_path) - 1);
    notify->address.sun_family = AF_UNIX;
    memcpy(notify->address.sun_path, path, len + 1);
    if (*path == '@')
        notify->address.sun_path[0] = '\0';
    notify->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len +
                              (*path == '/'));
    return true;
}

bool notify_open(struct notify *notify, const char *path, struct status *st)
{
    const struct timeval timeout = {.tv_sec = SEND_TIMEOUT_S};

    *notify = (struct notify){.fd = -1};
    if (!path || !*path)
        return true;
    if (!parse(notify, path, st))
        return false;
    notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (notify->fd < 0)
        return status_fail(st, STATUS_INVALID,
                           "no socket for the service manager: %s",
                           strerror(errno));
    setsockopt(notify->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    return true;
}

bool notify_is_on(const struct notify *notify)
{
    return notify->fd >= 0;
}

/* The address is looked up each time: a manager that was started again has a
 * new socket under the same name. */
bool notify_send(const struct notify *notify, const char *text,
                 struct status *st)
{
    if (!notify_is_on(notify) ||
        sendto(notify->fd, text, strlen(text), MSG_NOSIGNAL,
               (const struct sockaddr *)&notify->address, notify->len) >= 0)
        return true;
    return status_fail(st, STATUS_INVALID, "%s", strerror(errno));
}

void notify_close(struct notify *notify)
{
    if (notify_is_on(notify))
        close(notify->fd);
    notify->fd = -1;
}

bool notify_watchdog_us(const char *usec, const char *pid, uint64_t *us,
                        struct status *st)
{
    uint64_t process;

    *us = 0;
    if (!usec || !*usec)
        return true;
    if (pid && *pid) {
        if (!number_read("WATCHDOG_PID", pid, 1, INT32_MAX, &process, st))
            return false;
        if (process != (uint64_t)getpid())
            return true;
    }
    return number_read("WATCHDOG_USEC", usec, 1, INT64_MAX, us, st);
}
