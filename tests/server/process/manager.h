/* A service manager of a test: the socket that NOTIFY_SOCKET names. */
#pragma once

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct manager {
    int fd;
    char name[64];   /* the value of NOTIFY_SOCKET: @ and an abstract name */
    char text[4096]; /* of the last message */
};

static inline void manager_start(struct manager *manager)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = (size_t)snprintf(manager->name, sizeof(manager->name),
                                  "@flipd-test-%d", (int)getpid());

    manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    memcpy(address.sun_path + 1, manager->name + 1, len - 1);
    ck_assert_int_eq(
        bind(manager->fd, (struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)),
        0);
}

/* The next message, or "" if there is none. */
static inline const char *manager_hear(struct manager *manager)
{
    ssize_t len =
        recv(manager->fd, manager->text, sizeof(manager->text) - 1, 0);

    manager->text[len < 0 ? 0 : len] = '\0';
    return manager->text;
}

static inline void manager_stop(struct manager *manager)
{
    close(manager->fd);
}
