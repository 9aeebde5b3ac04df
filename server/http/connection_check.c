#include <stdint.h>

#include "server/http/connection.h"
#include "server/http/early_error.h"
#include "server/http/loop.h"

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
    uint64_t received = engine_received(connection->engine);
    const struct options *options = connection->loop->service->jobs.options;

    if (!connection->idle_bytes_known) {
        connection->idle_bytes = received;
        connection->idle_bytes_known = true;
    } else if (received > connection->idle_bytes) {
        connection_enter(connection, CONNECTION_HEADERS,
                         (uint64_t)options->header_timeout * 1000);
    }
}

bool connection_has_gone(struct connection *connection)
{
    return engine_has_ended_suspended(connection->engine);
}

static void refuse(struct connection *connection, enum metrics_rejection reason,
                   const char *text)
{
    struct job *job = &connection->exchange.task.job;

    if (!engine_is_established(connection->engine)) {
        metrics_count_rejection(&connection->loop->metrics, reason);
        engine_hang_up(connection->engine);
        return;
    }
    if (job->reply.status == 0)
        job_fail(job, 408, (int)reason, text);
    early_error_send(connection);
    engine_hang_up(connection->engine);
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
        engine_reset(connection->engine);
        break;
    case CONNECTION_IDLE:
    case CONNECTION_LINGER:
    case CONNECTION_WORK:
        engine_hang_up(connection->engine);
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
        engine_hang_up(connection->engine);
    connection->half_closed = true;
}

static void check_idle(struct connection *connection, uint64_t now_ms,
                       enum service_phase phase)
{
    if (phase >= SERVICE_STOPPING) {
        if (now_ms >= connection->since_ms + STOP_GRACE_MS &&
            !engine_has_unread(connection->engine))
            engine_hang_up(connection->engine);
    } else if ((now_ms / 100 + (uintptr_t)connection / 64) % IDLE_TICKS == 0) {
        watch_idle(connection);
        if (engine_has_ended(connection->engine))
            leave(connection);
    }
}

static void cut(struct connection *connection)
{
    worker_cancel(&connection->exchange.task);
    engine_reset(connection->engine);
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
        if (engine_has_ended(connection->engine))
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
