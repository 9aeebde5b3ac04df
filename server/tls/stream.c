#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/tls/tls.h"

enum { RECORD_SIZE = 16 << 10 }; /* most bytes of a TLS record */

struct tls_stream {
    SSL *session; /* owned */
    int fd;       /* borrowed */
    bool established;
    bool ended;        /* the client sends nothing more */
    const char *fault; /* NULL: none; with one, nothing more can be sent */
};

/* Tells a client that speaks plain HTTP about TLS. */
static void reply_plain(const struct tls_stream *stream)
{
    static const char text[] =
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: 48\r\n\r\n"
        "{\"error\":\"this port speaks TLS: ask with https\"}";
    size_t sent = 0;
    ssize_t result = 0;

    /* Without space in the socket the client gets no reply, only the end. */
    while (sent < sizeof(text) - 1 && (result >= 0 || errno == EINTR)) {
        result = write(stream->fd, text + sent, sizeof(text) - 1 - sent);
        sent += result > 0 ? (size_t)result : 0;
    }
}

/* Turns a failed call of OpenSSL into a result of recv() or sendmsg(). */
static ssize_t translate(struct tls_stream *stream, int result)
{
    int reason = errno;
    int error = SSL_get_error(stream->session, result);

    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        /* libmicrohttpd calls recv() during a handshake, so it would wait for
         * bytes to read. With EINTR it calls again instead. */
        errno = error == SSL_ERROR_WANT_WRITE && !stream->established ? EINTR
                                                                      : EAGAIN;
        return -1;
    }
    if (error == SSL_ERROR_ZERO_RETURN) {
        stream->ended = true;
        return 0;
    }
    stream->fault = error == SSL_ERROR_SYSCALL && reason
                        ? strerrordesc_np(reason)
                        : tls_fault();
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST)
        reply_plain(stream);
    /* A client that is refused in the handshake may send more. */
    stream->ended = stream->established || error != SSL_ERROR_SSL;
    errno = ECONNRESET;
    return -1;
}

/* The result when a call failed behind `moved` bytes. A lower count says that
 * the socket is empty, or full: at a fault the caller would wait for nothing.
 */
static ssize_t finish(struct tls_stream *stream, size_t moved)
{
    ssize_t result = translate(stream, 0);
    bool fails = result < 0 && errno != EAGAIN;

    return moved > 0 && !fails ? (ssize_t)moved : result;
}

static ssize_t shake_hands(void *self)
{
    struct tls_stream *stream = self;
    int result;

    ERR_clear_error();
    result = SSL_accept(stream->session);
    if (result != 1)
        return translate(stream, result);
    stream->established = true;
    return 1;
}

static ssize_t receive(void *self, void *data, size_t size)
{
    struct tls_stream *stream = self;
    size_t got = 0, part;

    ERR_clear_error();
    while (got < size &&
           SSL_read_ex(stream->session, (char *)data + got, size - got, &part))
        got += part;
    return got == size ? (ssize_t)got : finish(stream, got);
}

/* Copies the text of the next record, which follows the first `skip` bytes of
 * the parts. Returns its length. */
static size_t join(char text[RECORD_SIZE], const struct iovec *parts,
                   size_t count, size_t skip)
{
    size_t len = 0;

    for (size_t i = 0; i < count && len < RECORD_SIZE; i++) {
        size_t skipped = skip < parts[i].iov_len ? skip : parts[i].iov_len;
        size_t left = parts[i].iov_len - skipped;
        size_t size = left < RECORD_SIZE - len ? left : RECORD_SIZE - len;

        memcpy(text + len, (const char *)parts[i].iov_base + skipped, size);
        len += size;
        skip -= skipped;
    }
    return len;
}

/* A head and a small body become one record. After a full socket OpenSSL wants
 * the same text again: the caller starts anew with the same parts behind what
 * was sent. */
static ssize_t send_parts(void *self, const struct iovec *parts, size_t count,
                          int flags)
{
    struct tls_stream *stream = self;
    char text[RECORD_SIZE];
    size_t len, sent = 0, part;

    (void)flags;
    ERR_clear_error();
    while ((len = join(text, parts, count, sent)) > 0) {
        if (!SSL_write_ex(stream->session, text, len, &part)) {
            ssize_t result = finish(stream, sent);

            return result != 0 ? result : -1;
        }
        sent += part;
    }
    return (ssize_t)sent;
}

static bool has_ended(void *self, bool read)
{
    struct tls_stream *stream = self;
    char byte;
    int result;

    if (stream->ended || !read)
        return stream->ended;
    ERR_clear_error();
    result = SSL_peek(stream->session, &byte, 1);
    if (result > 0)
        return false;
    translate(stream, result);
    return stream->ended;
}

static bool pending(const void *self)
{
    return SSL_has_pending(((const struct tls_stream *)self)->session) == 1;
}

/* Sends close_notify. */
static void end(void *self)
{
    struct tls_stream *stream = self;

    if (!stream->established || stream->fault ||
        (SSL_get_shutdown(stream->session) & SSL_SENT_SHUTDOWN))
        return;
    ERR_clear_error();
    SSL_shutdown(stream->session);
}

static const char *fault(const void *self)
{
    return ((const struct tls_stream *)self)->fault;
}

static void free_stream(void *self)
{
    struct tls_stream *stream = self;

    SSL_free(stream->session);
    free(stream);
}

static const struct socket_io stream_io = {
    .recv = receive,
    .sendv = send_parts,
    .shutdown = end,
    .pending = pending,
    .handshake = shake_hands,
    .has_ended = has_ended,
    .fault = fault,
    .free = free_stream,
};

struct socket_layer tls_stream_new(struct tls *tls, int fd,
                                   enum tls_protocol protocol)
{
    struct tls_stream *stream = calloc(1, sizeof(*stream));

    if (!stream)
        return (struct socket_layer){.io = NULL};
    stream->fd = fd;
    pthread_mutex_lock(&tls->lock);
    stream->session = SSL_new(tls->context);
    pthread_mutex_unlock(&tls->lock);
    if (stream->session && SSL_set_fd(stream->session, fd) == 1) {
        tls_set_protocol(stream->session, protocol);
        return (struct socket_layer){&stream_io, stream};
    }
    free_stream(stream);
    return (struct socket_layer){.io = NULL};
}
