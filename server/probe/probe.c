#include "server/probe/probe.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "server/net/listen.h"
#include "server/probe/probe_tls.h"

enum { STATUS_LINE = 12 }; /* bytes up to the end of the status code */

static const char request[] = "GET /v2/health/ready HTTP/1.1\r\n"
                              "Host: localhost\r\n"
                              "Connection: close\r\n\r\n";

/* A daemon that listens on all addresses is reached by the loopback one. */
static void replace_wildcard(struct listen_address *address)
{
    struct sockaddr_in *in = (struct sockaddr_in *)&address->storage;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->storage;

    if (address->storage.ss_family == AF_INET &&
        in->sin_addr.s_addr == htonl(INADDR_ANY))
        in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else if (address->storage.ss_family == AF_INET6 &&
             IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr))
        in6->sin6_addr = in6addr_loopback;
}

int probe_status(const char *reply, size_t len)
{
    int status = 0;

    if (len < STATUS_LINE || memcmp(reply, "HTTP/1.", 7) != 0 ||
        reply[8] != ' ')
        return 0;
    for (int i = 9; i < 12; i++) {
        if (reply[i] < '0' || reply[i] > '9')
            return 0;
        status = 10 * status + (reply[i] - '0');
    }
    return status;
}

/* Sends the request and reads until the status code is complete. */
static ssize_t exchange(int fd, char *reply, size_t size)
{
    size_t len = 0;

    if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
        return -1;
    while (len < STATUS_LINE) {
        ssize_t got = recv(fd, reply + len, size - len, 0);

        if (got < 0)
            return -1;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    return (ssize_t)len;
}

/* The status code of the reply, 0 if it is not HTTP; -1 with errno if there is
 * no reply. */
static int probe(const struct listen_address *address,
                 const struct options *options, bool tls)
{
    struct timeval limit = {.tv_sec = 2};
    char reply[256];
    ssize_t len = -1;
    int fd, reason;

    fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    if (connect(fd, (const struct sockaddr *)&address->storage, address->len) ==
        0)
        len = tls ? probe_tls_exchange(fd, options, request, reply, STATUS_LINE)
                  : exchange(fd, reply, sizeof(reply));
    reason = errno;
    close(fd);
    errno = reason;
    return len < 0 ? -1 : probe_status(reply, (size_t)len);
}

/* Probes with TLS if the options have a certificate, else without. A daemon
 * with TLS answers a request without it with 400: then the probe tries again,
 * for the probe of a container may lack the options of the daemon's command
 * line. */
static int probe_either(const struct listen_address *address,
                        const struct options *options)
{
    int status = 0;

    if (!options->tls_cert || options->admin_port) {
        status = probe(address, options, false);
        if (status != 400)
            return status;
    }
    return probe(address, options, true);
}

bool probe_run(const struct options *options, struct status *st)
{
    struct listen_address address;
    char text[LISTEN_TEXT_SIZE];
    int status;

    /* OpenSSL writes without MSG_NOSIGNAL. */
    signal(SIGPIPE, SIG_IGN);
    if (!(options->admin_port ? listen_parse_admin(options, &address, st)
                              : listen_parse(options, &address, st)))
        return false;
    replace_wildcard(&address);
    listen_text(&address, text);
    status = probe_either(&address, options);
    if (status < 0)
        return status_fail(st, STATUS_BUSY, "%s: %s", text, strerror(errno));
    return status == 200 ||
           status_fail(st, STATUS_BUSY, "%s answered %d", text, status);
}
