#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>

#include "server/net/listen.h"

/* -1 for a unix socket. */
static int port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)address)->sin_port);
    if (address->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    return -1;
}

static int option_of(int fd, int option)
{
    int value = -1;
    socklen_t len = sizeof(value);

    return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 ? value : -1;
}

/* What keeps the descriptor from being a port; NULL: nothing. */
static const char *misfit_of(int fd)
{
    int domain = option_of(fd, SO_DOMAIN);

    if (domain < 0)
        return errno == EBADF ? "is not open" : "is no socket";
    if (domain != AF_INET && domain != AF_INET6 && domain != AF_UNIX)
        return "is neither a TCP nor a unix socket";
    if (option_of(fd, SO_TYPE) != SOCK_STREAM)
        return "is no stream socket (ListenStream=)";
    return option_of(fd, SO_ACCEPTCONN) == 1
               ? NULL
               : "does not listen (Accept=no is needed)";
}

bool listen_adopt(struct listen_address *address, int fd, struct status *st)
{
    const char *misfit = misfit_of(fd);

    *address = (struct listen_address){.len = sizeof(address->storage),
                                       .is_borrowed = true};
    if (misfit)
        return status_fail(st, STATUS_INVALID, "LISTEN_FDS: descriptor %d %s",
                           fd, misfit);
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(fd, F_SETFL, O_NONBLOCK) != 0 ||
        getsockname(fd, (struct sockaddr *)&address->storage, &address->len) !=
            0)
        return status_fail(st, STATUS_INVALID, "LISTEN_FDS: descriptor %d: %s",
                           fd, strerror(errno));
    address->port = port_of(&address->storage);
    listen_set_options(address, fd);
    return true;
}
