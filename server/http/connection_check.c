#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>

#include "server/http/connection.h"
#include "server/http/early_error.h"
#include "server/http/loop.h"
#include "server/mhd/tcp_info.h"

enum {
    /* A client that was told "Connection: close" on its last answer is about
     * to close; one that was not may be about to ask. */
    STOP_GRACE_MS = 100,
    /* TCP is asked about an idle connection every so many ticks. */
    IDLE_TICKS = 8,
};

/* Notices the first bytes of a request, of which libmicrohttpd says nothing
 * before the request line is whole. */
static void watch_idle(struct connection *connection)
{
    uint64_t received = tcp_received(connection->fd);
    const struct options *options = connection->loop->service->jobs.options;

    if (!connection->idle_bytes_known) {
        connection->idle_bytes = received;
        connection->idle_bytes_known = true;
    } else if (received > connection->idle_bytes) {
        connection_enter(connection, CONNECTION_HEADERS,
                         (uint64_t)options->header_timeout * 1000);
    }
}

/* A client that is gone, or has closed its half, wants no answer any more.
 * libmicrohttpd does not see an end that came together with data. */
static bool socket_has_gone(int fd)
{
    char byte;
    ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

/* The farewell of TLS as well, once it has been read. */
static bool has_gone(const struct connection *connection)
{
    return connection->tls.ended || socket_has_gone(connection->fd);
}

bool connection_has_gone(struct connection *connection)
{
    return connection->tls.session ? tls_stream_has_gone(connection)
                                   : has_gone(connection);
}

static bool has_unread(const struct connection *connection)
{
    char byte;

    return connection->has_surplus ||
           recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0 ||
           (connection->tls.session && tls_stream_has_unread(connection));
}

/* Ends a connection from outside: libmicrohttpd sees it and frees. */
static void hang_up(struct connection *connection)
{
    shutdown(connection->fd, SHUT_RDWR);
}

/* The same without the kernel sending on what a slow reader left. */
static void drop(struct connection *connection)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    hang_up(connection);
}

static void refuse(struct connection *connection, enum metrics_rejection reason,
                   const char *text)
{
    struct job *job = &connection->exchange.task.job;

    if (connection->tls.session && !connection->tls.established) {
        metrics_count_rejection(&connection->loop->metrics, reason);
        hang_up(connection);
        return;
    }
    if (job->reply.status == 0)
        job_fail(job, 408, (int)reason, text);
    early_error_send(connection);
    hang_up(connection);
}

static void time_out(struct connection *connection)
{
    switch (connection->stage) {
    case CONNECTION_HEADERS:
        refuse(connection, METRICS_HEADER_TIMEOUT,
               "the headers did not arrive in time");
        break;
    case CONNECTION_BODY:
        refuse(connection, METRICS_BODY_TIMEOUT,
               "the body did not arrive in time");
        break;
    case CONNECTION_SEND:
        metrics_count_rejection(&connection->loop->metrics,
                                METRICS_SEND_TIMEOUT);
        drop(connection);
        break;
    case CONNECTION_IDLE:
    case CONNECTION_LINGER:
    case CONNECTION_WORK:
        hang_up(connection);
        break;
    }
    /* Once is enough; libmicrohttpd needs a turn to notice. */
    connection->deadline_ms = UINT64_MAX;
}

/* The second time, for what was sent before the end may still lie with
 * libmicrohttpd the first time. */
static void leave(struct connection *connection)
{
    if (connection->half_closed)
        hang_up(connection);
    connection->half_closed = true;
}

static void check_idle(struct connection *connection, uint64_t now_ms,
                       enum service_phase phase)
{
    if (phase >= SERVICE_STOPPING) {
        if (now_ms >= connection->since_ms + STOP_GRACE_MS &&
            !has_unread(connection))
            hang_up(connection);
    } else if ((now_ms / 100 + (uint64_t)connection->fd) % IDLE_TICKS == 0) {
        watch_idle(connection);
        if (has_gone(connection))
            leave(connection);
    }
}

static void cut(struct connection *connection)
{
    worker_cancel(&connection->exchange.task);
    drop(connection);
}

static void check(struct connection *connection, uint64_t now_ms,
                  enum service_phase phase)
{
    if (phase == SERVICE_CUTTING) {
        cut(connection);
        return;
    }
    if (now_ms >= connection->deadline_ms) {
        time_out(connection);
        return;
    }
    switch (connection->stage) {
    case CONNECTION_IDLE:
        check_idle(connection, now_ms, phase);
        break;
    case CONNECTION_HEADERS:
    case CONNECTION_BODY:
    case CONNECTION_LINGER:
        if (has_gone(connection))
            leave(connection);
        break;
    case CONNECTION_WORK: /* worker_queue_check() */
    case CONNECTION_SEND:
        break;
    }
}

void connection_check_all(struct loop *loop)
{
    uint64_t now_ms = uv_now(&loop->uv);
    enum service_phase phase = loop_phase(loop);

    for (struct connection *each = loop->connections; each; each = each->next)
        check(each, now_ms, phase);
}
