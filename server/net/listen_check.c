#include <netinet/in.h>
#include <string.h>

#include "server/net/listen.h"

/* True if who listens on `all` listens on `one` as well. Sockets of IPv6 take
 * connections of IPv4 too. */
static bool covers(const struct listen_address *all,
                   const struct listen_address *one)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)&all->storage;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&all->storage;

    if (all->storage.ss_family == AF_INET6 &&
        IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr))
        return true;
    if (all->storage.ss_family != one->storage.ss_family)
        return false;
    return memcmp(&all->storage, &one->storage, all->len) == 0 ||
           (all->storage.ss_family == AF_INET &&
            in->sin_addr.s_addr == htonl(INADDR_ANY));
}

bool listen_check(const struct options *options, struct status *st)
{
    struct listen_address port, admin;
    char text[LISTEN_TEXT_SIZE], admin_text[LISTEN_TEXT_SIZE];

    if (!listen_parse(options, false, &port, st) ||
        !listen_parse(options, true, &admin, st))
        return false;
    if (admin.port == 0 || admin.port != port.port ||
        !(covers(&port, &admin) || covers(&admin, &port)))
        return true;
    listen_text(&port, text);
    listen_text(&admin, admin_text);
    return status_fail(st, STATUS_INVALID,
                       "--http-port and --admin-port are both %d: %s leaves no "
                       "%s",
                       port.port, text, admin_text);
}
