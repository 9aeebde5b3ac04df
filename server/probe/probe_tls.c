#include "server/probe/probe_tls.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <string.h>

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

static ssize_t exchange(SSL *session, const char *request, char *reply,
                        size_t size)
{
    size_t len = 0, part;

    if (SSL_connect(session) != 1 ||
        !SSL_write_ex(session, request, strlen(request), &part))
        return -1;
    while (len < size && SSL_read_ex(session, reply + len, size - len, &part))
        len += part;
    return len > 0 ? (ssize_t)len : -1;
}

ssize_t probe_tls_exchange(int fd, const struct options *options,
                           const char *request, char *reply, size_t size)
{
    SSL_CTX *context = make_context(options);
    SSL *session = context ? SSL_new(context) : NULL;
    ssize_t len = -1;

    errno = 0;
    if (session && SSL_set_fd(session, fd) == 1)
        len = exchange(session, request, reply, size);
    if (len < 0 && errno == 0)
        errno = EPROTO;
    SSL_free(session);
    SSL_CTX_free(context);
    return len;
}
