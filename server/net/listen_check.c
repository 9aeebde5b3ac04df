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

static const char *const names[] = {
    [LISTEN_HTTP] = "--http-port",
    [LISTEN_ADMIN] = "--admin-port",
    [LISTEN_GRPC] = "--grpc-port",
};

static bool check_pair(const struct listen_address *addresses,
                       enum listen_port one, enum listen_port other,
                       struct status *st)
{
    const struct listen_address *a = &addresses[one], *b = &addresses[other];
    char text[LISTEN_TEXT_SIZE], other_text[LISTEN_TEXT_SIZE];

    if (b->port <= 0 || b->port != a->port || !(covers(a, b) || covers(b, a)))
        return true;
    listen_text(a, text);
    listen_text(b, other_text);
    return status_fail(st, STATUS_INVALID,
                       "%s and %s are both %d: %s leaves no %s", names[one],
                       names[other], a->port, text, other_text);
}

bool listen_check(const struct options *options, struct status *st)
{
    struct listen_address all[3];

    for (int port = LISTEN_HTTP; port <= LISTEN_GRPC; port++)
        if (!listen_parse(options, (enum listen_port)port, &all[port], st))
            return false;
    return check_pair(all, LISTEN_HTTP, LISTEN_ADMIN, st) &&
           check_pair(all, LISTEN_HTTP, LISTEN_GRPC, st) &&
           check_pair(all, LISTEN_ADMIN, LISTEN_GRPC, st);
}
