#include "server/process/probe.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "server/net/listen.h"

enum { STATUS_LINE = 12 }; /* bytes up to the end of the status code */

static const char request[] = "GET /v2/health/ready HTTP/1.1\r\n"
                              "Host: localhost\r\n"
                              "Connection: close\r\n\r\n";

/* TLS over the socket. The daemon's certificate is not verified: the address
 * alone says which daemon is probed. If the daemon requires a client
 * certificate, its own one is sent. */
static BIO *add_tls(BIO *socket, const struct options *options)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    BIO *session;

    if (context && options->tls_client_ca) {
        SSL_CTX_use_certificate_chain_file(context, options->tls_cert);
        SSL_CTX_use_PrivateKey_file(context, options->tls_key,
                                    SSL_FILETYPE_PEM);
    }
    session = context ? BIO_new_ssl(context, 1) : NULL;
    SSL_CTX_free(context);
    return session ? BIO_push(session, socket) : NULL;
}

/* Sends the request and reads the first bytes of the reply; returns the status
 * code, 0 if it is not HTTP, or -1 with errno. */
static int exchange(BIO *bio)
{
    char reply[STATUS_LINE + 1] = "";
    int len = 0, status = 0, part = BIO_puts(bio, request);

    while (part > 0 && len < STATUS_LINE) {
        part = BIO_read(bio, reply + len, STATUS_LINE - len);
        len += part > 0 ? part : 0;
    }
    if (len == 0 && part < 0)
        return -1;
    return sscanf(reply, "HTTP/1.%*c %3d%n", &status, &len) == 1 &&
                   len == STATUS_LINE
               ? status
               : 0;
}

/* The same at the address. */
static int probe(const struct listen_address *address,
                 const struct options *options, bool tls)
{
    const struct timeval limit = {.tv_sec = 5};
    int fd, reason, status = -1;
    BIO *socket_bio, *bio;

    fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    socket_bio = BIO_new_socket(fd, BIO_CLOSE);
    bio = tls && socket_bio ? add_tls(socket_bio, options) : socket_bio;
    errno = 0;
    if (bio && connect(fd, (const struct sockaddr *)&address->storage,
                       address->len) == 0)
        status = exchange(bio);
    reason = errno ? errno : EPROTO;
    BIO_free_all(bio);
    errno = reason;
    return status;
}

bool probe_run(const struct options *options, struct status *st)
{
    struct listen_address address;
    char text[LISTEN_TEXT_SIZE];
    int status = 400;

    /* OpenSSL writes without MSG_NOSIGNAL. A daemon that listens on all
     * addresses is reached by that of all: Linux takes the loopback one. */
    signal(SIGPIPE, SIG_IGN);
    if (!listen_parse(options, options->admin_port ? LISTEN_ADMIN : LISTEN_HTTP,
                      &address, st))
        return false;
    listen_text(&address, text);
    /* A daemon with TLS answers a request without it with 400: then the probe
     * tries again, for the probe of a container may lack the options of the
     * daemon's command line. */
    if (!options->tls_cert || options->admin_port)
        status = probe(&address, options, false);
    if (status == 400)
        status = probe(&address, options, true);
    if (status < 0)
        return status_fail(st, STATUS_BUSY, "%s: %s", text,
                           errno == EAGAIN ? "no reply in 5 s"
                                           : strerror(errno));
    return status == 200 ||
           status_fail(st, STATUS_BUSY, "%s answered %d", text, status);
}
