#include "server/tls/stream.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <unistd.h>

#include "server/http/connection.h"
#include "server/http/loop.h"
#include "server/tls/tls.h"

enum { RECORD = 16 << 10 }; /* most bytes of a record */

bool tls_stream_start(struct connection *connection)
{
    struct tls *tls = &connection->loop->service->tls;
    struct tls_stream *stream = &connection->tls;

    pthread_mutex_lock(&tls->lock);
    stream->session = SSL_new(tls->context);
    pthread_mutex_unlock(&tls->lock);
    return stream->session && SSL_set_fd(stream->session, connection->fd) == 1;
}

/* Who speaks plain HTTP to us is told so. */
static void answer_plain(const struct connection *connection)
{
    static const char text[] =
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: 48\r\n\r\n"
        "{\"error\":\"this port speaks TLS: ask with https\"}";

    if (write(connection->fd, text, sizeof(text) - 1) < 0)
        return; /* so be it */
}

static void report(const struct connection *connection, int reason)
{
    struct log *log = connection->loop->service->jobs.log;
    char client[PEER_TEXT_SIZE];

    if (!log_wants(log, LOG_DEBUG))
        return;
    peer_text(&connection->peer, client);
    log_event(
        log, LOG_DEBUG, "TLS failed", {"client", client, 0},
        {"stage", connection->tls.established ? "established" : "handshake", 0},
        {"reason", reason ? strerror(reason) : tls_fault(), 0});
}

/* Discards input after a failed handshake until the client has closed the
 * connection. read(): recv() would lead back here. */
static ssize_t discard(struct connection *connection)
{
    struct tls_stream *stream = &connection->tls;
    char input[16 << 10];
    ssize_t got;

    do {
        got = read(connection->fd, input, sizeof(input));
        if (got > 0)
            stream->ignored += (size_t)got;
    } while (got > 0 && stream->ignored <= CONNECTION_LINGER_BYTES);
    if (got < 0 && errno == EAGAIN)
        return -1;
    stream->ended = true;
    errno = ECONNRESET;
    return -1;
}

/* The client can still read the alert, or the answer to plain HTTP: the socket
 * is not closed before the client's end or the limits of lingering. */
static ssize_t refuse(struct connection *connection)
{
    connection->tls.refused = true;
    connection_enter(connection, CONNECTION_LINGER, CONNECTION_LINGER_MS);
    shutdown(connection->fd, SHUT_WR);
    return discard(connection);
}

/* What a call that did not succeed is to libmicrohttpd. */
static ssize_t judge(struct connection *connection, int result)
{
    struct tls_stream *stream = &connection->tls;
    int reason = errno;
    int error = SSL_get_error(stream->session, result);

    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        /* A handshake that waits for room is asked again: libmicrohttpd thinks
         * that it reads. */
        errno = error == SSL_ERROR_WANT_WRITE && !stream->established ? EINTR
                                                                      : EAGAIN;
        return -1;
    }
    if (error == SSL_ERROR_ZERO_RETURN) {
        stream->ended = true;
        return 0;
    }
    stream->failed = true;
    report(connection, error == SSL_ERROR_SYSCALL ? reason : 0);
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST)
        answer_plain(connection);
    if (!stream->established && error == SSL_ERROR_SSL)
        return refuse(connection);
    stream->ended = true;
    errno = ECONNRESET;
    return -1;
}

/* From here on it is as any connection that has sent nothing yet. */
static ssize_t shake_hands(struct connection *connection)
{
    const struct options *options = connection->loop->service->jobs.options;
    int result;

    ERR_clear_error();
    result = SSL_accept(connection->tls.session);
    if (result != 1)
        return judge(connection, result);
    connection->tls.established = true;
    connection->idle_bytes_known = false;
    connection_enter(connection, CONNECTION_IDLE,
                     (uint64_t)options->idle_timeout * 1000);
    return 1;
}

ssize_t tls_stream_recv(struct connection *connection, void *data, size_t size)
{
    struct tls_stream *stream = &connection->tls;
    size_t got = 0, part;
    ssize_t result;

    if (stream->refused)
        return discard(connection);
    if (!stream->established) {
        result = shake_hands(connection);
        if (result <= 0)
            return result;
    }
    ERR_clear_error();
    while (got < size &&
           SSL_read_ex(stream->session, (char *)data + got, size - got, &part))
        got += part;
    if (got == size)
        return (ssize_t)got;
    result = judge(connection, 0);
    return got > 0 ? (ssize_t)got : result;
}

/* Where in a message we are, and room to put small parts into one record. */
struct cursor {
    const struct iovec *parts;
    size_t count, at;
    size_t skip; /* bytes of the first part that have gone */
    char joined[RECORD];
};

static void advance(struct cursor *cursor, size_t len)
{
    cursor->skip += len;
    while (cursor->at < cursor->count &&
           cursor->skip >= cursor->parts[cursor->at].iov_len) {
        cursor->skip -= cursor->parts[cursor->at].iov_len;
        cursor->at++;
    }
}

/* The next record's text. What comes back after a full socket must begin as it
 * did then: that holds, for libmicrohttpd comes back with the same parts. */
static struct iovec next_record(struct cursor *cursor)
{
    const struct iovec *part = &cursor->parts[cursor->at];
    struct iovec record = {(char *)part->iov_base + cursor->skip,
                           part->iov_len - cursor->skip};
    size_t len = 0, skip = cursor->skip;

    if (record.iov_len >= RECORD || cursor->at + 1 == cursor->count)
        return record;
    for (size_t i = cursor->at; i < cursor->count && len < RECORD; i++) {
        size_t left = cursor->parts[i].iov_len - skip;
        size_t take = left < RECORD - len ? left : RECORD - len;

        memcpy(cursor->joined + len, (char *)cursor->parts[i].iov_base + skip,
               take);
        len += take;
        skip = 0;
    }
    return (struct iovec){cursor->joined, len};
}

ssize_t tls_stream_sendmsg(struct connection *connection,
                           const struct msghdr *message)
{
    struct cursor cursor;
    size_t sent = 0, part;
    ssize_t result;

    cursor.parts = message->msg_iov;
    cursor.count = message->msg_iovlen;
    cursor.at = cursor.skip = 0;
    ERR_clear_error();
    for (advance(&cursor, 0); cursor.at < cursor.count;
         advance(&cursor, part)) {
        struct iovec record = next_record(&cursor);

        if (!SSL_write_ex(connection->tls.session, record.iov_base,
                          record.iov_len, &part)) {
            result = judge(connection, 0);
            return sent > 0 ? (ssize_t)sent : result < 0 ? result : -1;
        }
        sent += part;
    }
    return (ssize_t)sent;
}

bool tls_stream_has_gone(struct connection *connection)
{
    struct tls_stream *stream = &connection->tls;
    char byte;
    int result;

    if (stream->ended)
        return true;
    ERR_clear_error();
    result = SSL_peek(stream->session, &byte, 1);
    if (result > 0)
        return false;
    judge(connection, result);
    return stream->ended;
}

bool tls_stream_has_unread(const struct connection *connection)
{
    return SSL_has_pending(connection->tls.session) == 1;
}

void tls_stream_end(struct connection *connection)
{
    struct tls_stream *stream = &connection->tls;

    if (!stream->established || stream->failed ||
        (SSL_get_shutdown(stream->session) & SSL_SENT_SHUTDOWN))
        return;
    ERR_clear_error();
    SSL_shutdown(stream->session);
}

void tls_stream_free(struct connection *connection)
{
    SSL_free(connection->tls.session);
    connection->tls.session = NULL;
}
