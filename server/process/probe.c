#include "server/process/probe.h"

#include <errno.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "server/net/listen.h"

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

/* Sends the request and reads the first bytes of the reply; returns how many,
 * or -1 with errno. */
static ssize_t exchange(int fd, char reply[STATUS_LINE])
{
    if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0)
        return -1;
    return recv(fd, reply, STATUS_LINE, MSG_WAITALL);
}

static SSL_CTX *make_context(const struct options *options)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());

    if (context && options->tls_client_ca) {
        SSL_CTX_use_certificate_chain_file(context, options->tls_cert);
        SSL_CTX_use_PrivateKey_file(context, options->tls_key,
                                    SSL_FILETYPE_PEM);
    }
    return context;
}

static ssize_t talk(SSL *session, char reply[STATUS_LINE])
{
    size_t len = 0, part;

    if (SSL_connect(session) != 1 ||
        !SSL_write_ex(session, request, sizeof(request) - 1, &part))
        return -1;
    while (len < STATUS_LINE &&
           SSL_read_ex(session, reply + len, STATUS_LINE - len, &part))
        len += part;
    return len > 0 ? (ssize_t)len : -1;
}

/* The same over TLS. The daemon's certificate is not verified: the address
 * alone says which daemon is probed. If the daemon requires a client
 * certificate, its own one is sent. */
static ssize_t exchange_tls(int fd, const struct options *options,
                            char reply[STATUS_LINE])
{
    SSL_CTX *context = make_context(options);
    SSL *session = context ? SSL_new(context) : NULL;
    ssize_t len = -1;

    errno = 0;
    if (session && SSL_set_fd(session, fd) == 1)
        len = talk(session, reply);
    if (len < 0 && errno == 0)
        errno = EPROTO;
    SSL_free(session);
    SSL_CTX_free(context);
    return len;
}

/* The status code of the reply, 0 if it is not HTTP; -1 with errno if there is
 * no reply. */
static int probe(const struct listen_address *address,
                 const struct options *options, bool tls)
{
    struct timeval limit = {.tv_sec = 2};
    char reply[STATUS_LINE];
    ssize_t len = -1;
    int fd, reason;

    fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    if (connect(fd, (const struct sockaddr *)&address->storage, address->len) ==
        0)
        len = tls ? exchange_tls(fd, options, reply) : exchange(fd, reply);
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
    if (!listen_parse(options, options->admin_port ? LISTEN_ADMIN : LISTEN_HTTP,
                      &address, st))
        return false;
    replace_wildcard(&address);
    listen_text(&address, text);
    status = probe_either(&address, options);
    if (status < 0)
        return status_fail(st, STATUS_BUSY, "%s: %s", text, strerror(errno));
    return status == 200 ||
           status_fail(st, STATUS_BUSY, "%s answered %d", text, status);
}
