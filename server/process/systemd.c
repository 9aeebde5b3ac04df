#include "server/process/systemd.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Reads the value of a variable, digits alone. Fails with INVALID, which names
 * the variable, the value and the limits. */
static bool read_number(const char *variable, const char *text, uint64_t least,
                        uint64_t most, uint64_t *value, struct status *st)
{
    char *end = NULL;
    bool is_number = *text >= '0' && *text <= '9';

    *value = is_number ? strtoull(text, &end, 10) : 0;
    if (is_number && !*end && *value >= least && *value <= most)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "%s is \"%.100s\", but must be a whole number in "
                       "%llu..%llu",
                       variable, text, (unsigned long long)least,
                       (unsigned long long)most);
}

/* The name that systemd gives where LISTEN_FDNAMES has none. */
static const char nameless[] = "unknown";

enum { NAME_SIZE = 256 }; /* systemd: 255 characters */

/* Copies the name at `index` of the list; nameless where there is no list. */
static void name_at(const char *names, int index, char name[NAME_SIZE])
{
    for (; names && index > 0; index--) {
        names = strchr(names, ':');
        names = names ? names + 1 : NULL;
    }
    if (names)
        snprintf(name, NAME_SIZE, "%.*s", (int)strcspn(names, ":"), names);
    if (!names || !*name)
        snprintf(name, NAME_SIZE, "%s", nameless);
}

static int *port_of(struct systemd_sockets *sockets, const char *name,
                    int count)
{
    if (strcmp(name, "admin") == 0)
        return &sockets->admin;
    if (strcmp(name, "http") == 0 ||
        (count == 1 && strcmp(name, nameless) == 0))
        return &sockets->http;
    return NULL;
}

static bool add(struct systemd_sockets *sockets, int fd, const char *name,
                int count, struct status *st)
{
    int *port = port_of(sockets, name, count);

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

bool systemd_read_sockets(struct systemd_sockets *sockets,
                          const struct systemd_variables *variables, int first,
                          struct status *st)
{
    char name[NAME_SIZE] = "";
    const char *pid = variables->pid, *fds = variables->fds;
    uint64_t process, count;

    *sockets = (struct systemd_sockets){-1, -1};
    if (!pid || !*pid || !fds || !*fds)
        return true;
    if (!read_number("LISTEN_PID", pid, 1, INT32_MAX, &process, st))
        return false;
    if (process != (uint64_t)getpid())
        return true;
    if (!read_number("LISTEN_FDS", fds, 0, SYSTEMD_MOST, &count, st))
        return false;
    for (int i = 0; i < (int)count; i++) {
        name_at(variables->names, i, name);
        if (!add(sockets, first + i, name, (int)count, st))
            return false;
    }
    return true;
}

enum { SEND_TIMEOUT_S = 1 };

/* An abstract name begins with a NUL and ends without one. */
static bool parse(struct systemd *manager, const char *path, struct status *st)
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

bool systemd_open(struct systemd *manager, const char *path, struct status *st)
{
    const struct timeval timeout = {.tv_sec = SEND_TIMEOUT_S};

    *manager = (struct systemd){.fd = -1};
    if (!path || !*path)
        return true;
    if (!parse(manager, path, st))
        return false;
    manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (manager->fd < 0)
        return status_fail(st, STATUS_INVALID,
                           "no socket for the service manager: %s",
                           strerror(errno));
    setsockopt(manager->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    return true;
}

bool systemd_is_on(const struct systemd *manager)
{
    return manager->fd >= 0;
}

/* The address is looked up each time: a manager that was started again has a
 * new socket under the same name. */
bool systemd_send(const struct systemd *manager, const char *text,
                  struct status *st)
{
    if (!systemd_is_on(manager) ||
        sendto(manager->fd, text, strlen(text), MSG_NOSIGNAL,
               (const struct sockaddr *)&manager->address, manager->len) >= 0)
        return true;
    return status_fail(st, STATUS_INVALID, "%s", strerror(errno));
}

void systemd_close(struct systemd *manager)
{
    if (systemd_is_on(manager))
        close(manager->fd);
    manager->fd = -1;
}

bool systemd_watchdog_us(const char *usec, const char *pid, uint64_t *us,
                         struct status *st)
{
    uint64_t process;

    *us = 0;
    if (!usec || !*usec)
        return true;
    if (pid && *pid) {
        if (!read_number("WATCHDOG_PID", pid, 1, INT32_MAX, &process, st))
            return false;
        if (process != (uint64_t)getpid())
            return true;
    }
    return read_number("WATCHDOG_USEC", usec, 1, INT64_MAX, us, st);
}
