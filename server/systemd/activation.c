#include "server/systemd/activation.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/systemd/number.h"

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

static int *port_of(struct activation *activation, const char *name, int count)
{
    if (strcmp(name, "admin") == 0)
        return &activation->admin;
    if (strcmp(name, "http") == 0 ||
        (count == 1 && strcmp(name, nameless) == 0))
        return &activation->http;
    return NULL;
}

static bool add(struct activation *activation, int fd, const char *name,
                int count, struct status *st)
{
    int *port = port_of(activation, name, count);

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

/* True if the variables are meant for another process, or are not set. */
static bool is_for_others(const struct activation_variables *variables,
                          bool *ok, struct status *st)
{
    const char *pid = variables->pid;
    uint64_t process;

    *ok = true;
    if (!pid || !*pid || !variables->fds || !*variables->fds)
        return true;
    *ok = number_read("LISTEN_PID", pid, 1, INT32_MAX, &process, st);
    return *ok && process != (uint64_t)getpid();
}

bool activation_read(struct activation *activation,
                     const struct activation_variables *variables, int first,
                     struct status *st)
{
    char name[NAME_SIZE] = "";
    uint64_t count;
    bool ok;

    *activation = (struct activation){-1, -1};
    if (is_for_others(variables, &ok, st) || !ok)
        return ok;
    if (!number_read("LISTEN_FDS", variables->fds, 0, ACTIVATION_MOST, &count,
                     st))
        return false;
    for (int i = 0; i < (int)count; i++) {
        name_at(variables->names, i, name);
        if (!add(activation, first + i, name, (int)count, st))
            return false;
    }
    return true;
}
