#include "server/probe.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "server/listen.h"

static const char request[] = "GET /v2/health/ready HTTP/1.1\r\n"
                              "Host: localhost\r\n"
                              "Connection: close\r\n\r\n";

/* A daemon that listens everywhere is asked where we are. */
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

int probe_status(const char *answer, size_t len)
{
    int status = 0;

    if (len < 12 || memcmp(answer, "HTTP/1.", 7) != 0 || answer[8] != ' ')
        return 0;
    for (int i = 9; i < 12; i++) {
        if (answer[i] < '0' || answer[i] > '9')
            return 0;
        status = 10 * status + (answer[i] - '0');
    }
    return status;
}

/* Reads until the status line is whole. */
static int ask(int fd, const struct listen_address *address)
{
    char answer[256];
    size_t len = 0;

    if (connect(fd, (const struct sockaddr *)&address->storage, address->len) !=
            0 ||
        send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0)
        return -1;
    while (len < 12) {
        ssize_t got = recv(fd, answer + len, sizeof(answer) - len, 0);

        if (got < 0)
            return -1;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    return probe_status(answer, len);
}

bool probe_run(const struct options *options, struct status *st)
{
    struct listen_address address;
    struct timeval limit = {.tv_sec = 2};
    char text[LISTEN_TEXT_SIZE];
    int fd, status, reason;

    if (!(options->admin_port ? listen_parse_admin(options, &address, st)
                              : listen_parse(options, &address, st)))
        return false;
    replace_wildcard(&address);
    listen_text(&address, text);
    fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return status_fail(st, STATUS_INTERNAL, "no socket: %s",
                           strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    status = ask(fd, &address);
    reason = errno;
    close(fd);
    if (status < 0)
        return status_fail(st, STATUS_BUSY, "%s: %s", text, strerror(reason));
    return status == 200 ||
           status_fail(st, STATUS_BUSY, "%s answered %d", text, status);
}
